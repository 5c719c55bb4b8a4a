import ArgumentParser
import FoundationEssentials
import Glibc
import PlayheadCore

/// The entry point of the command.
@main
enum Main {
    static func main() async {
        // Before anything else opens a descriptor.
        StandardDescriptors.reserve()
        MallocArenas.limit(to: 2)
        // The limits are checked before the first call that may need a thread.
        if let shortage = SystemLimits.shortage() {
            Console.shared.printError(shortage)
            ExitStatus.failure.exitNow()
        }
        let arguments = RawArguments.all()
        if let script = Completions.script(for: arguments) {
            StandardOutput.writeOrExit(script)
            ExitStatus.success.exitNow()
        }
        if RawArguments.isMPV, arguments.first == "--version" {
            // Clients compare the number.
            StandardOutput.writeOrExit("\(Control.mpvVersion)\n")
            ExitStatus.success.exitNow()
        }
        await run(arguments)
    }

    /// Parses and runs the command line. Unlike `Vplay.main`, it prints errors without credentials and query strings of URLs.
    private static func run(_ arguments: [String]) async {
        var files = ConfigurationFiles()
        do {
            try RawArguments.checkNames(in: arguments)
            let names = Vplay.configuration.subcommands.compactMap { $0.configuration.commandName }
            if !RawArguments.isMPV { try checkHelp(arguments, names) }
            let others = names.filter { $0 != "play" } + ["help"]
            let environment = ProcessInfo.processInfo.environment
            let translated = try OtherPlayers.translated(
                arguments,
                subcommands: others,
                isMPV: RawArguments.isMPV
            ) { commandLine throws(ValidationError) in
                try files.options(for: commandLine, environment: environment)
            }
            var command = try Vplay.parseAsRoot(translated)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            guard Vplay.exitCode(for: error) != .success else { Vplay.exit(withError: error) }
            if RawArguments.isMPV, let name = unknownOption(Vplay.message(for: error)) {
                StandardOutput.writeOrExit("Error parsing option \(name) (option not found)\n")
                ExitStatus.failure.exitNow()
            }
            let lines = Vplay.fullMessage(for: error).split(separator: "\n", omittingEmptySubsequences: false)
            for line in lines { Console.shared.printLine(Redaction.redact(Suggestion.checked(String(line)))) }
            for path in files.paths { Console.shared.printLine(oneLine("Options of \(path) apply, too.")) }
            Console.shared.finish()
            Vplay.exit(withError: Vplay.exitCode(for: error))
        }
    }

    /// Throws if `help` is followed by a command that does not exist. The parser would print the general help.
    private static func checkHelp(_ arguments: [String], _ commands: [String]) throws(ValidationError) {
        guard arguments.first == "help" else { return }
        let words = arguments.dropFirst().filter { !$0.hasPrefix("-") }
        // No command has subcommands of its own.
        let isKnown = words.first.map { commands.contains($0) || $0 == "help" } ?? true
        guard let unknown = isKnown ? words.dropFirst().first : words.first else { return }
        let list = commands.joined(separator: ", ")
        throw ValidationError(oneLine("Unknown command '\(unknown)'. The commands are \(list)."))
    }
}

/// Returns the name of an option in "Unknown option '--name'", without dashes and value, or nil if a message is another one.
private func unknownOption(_ message: String) -> String? {
    guard message.hasPrefix("Unknown option '"), let end = message.dropFirst(16).firstIndex(of: "'") else {
        return nil
    }
    return String(message.dropFirst(16)[..<end].drop { $0 == "-" }.prefix { $0 != "=" })
}

/// The root command, with the subcommands.
struct Vplay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vplay",
        abstract: "Plays video and audio files and streams.",
        usage: """
            vplay [play] [<options>] <input> ...
            vplay probe [--json] <input>
            vplay snapshot <input> --at <t> --output <path>
            vplay frames <input> [--count <n>|--fps <f>|--at <t> ...] --output <path>
            vplay pick [--kind <kind>] [--play] [<input> ...]
            vplay record [--device <path>|--test] --output <path>
            vplay bench [--json] [--threads <n>] <input>
            """,
        discussion: """
            Exit status: 0 played to the end or stopped by the user, 1 something could not be played, 64 wrong usage, \
            130 interrupted, 143 terminated, 128 + N ended by another signal N. A closed output pipe ends the command \
            without a message.
            """,
        version: version,
        subcommands: [
            PlayCommand.self, ProbeCommand.self, SnapshotCommand.self, FramesCommand.self, PickCommand.self,
            RecordCommand.self,
            BenchCommand.self,
        ],
        defaultSubcommand: PlayCommand.self
    )

    private static var version: String {
        var libraries = PlayheadVersion.libraries
        let ffmpeg = libraries.removeValue(forKey: "ffmpeg") ?? "unknown"
        let names = libraries.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return "vplay \(PlayheadVersion.current)\nFFmpeg \(ffmpeg): \(names.joined(separator: ", "))"
    }
}
