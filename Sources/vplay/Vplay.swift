import ArgumentParser
import Playhead

@main
enum Main {
    static func main() async {
        MallocArenas.limit(to: 2)
        // Before the first call that may need a thread.
        if let shortage = SystemLimits.shortage() {
            Console.shared.printError(shortage)
            ExitStatus.failure.exitNow()
        }
        let arguments = RawArguments.all()
        if let script = Completions.script(for: arguments) {
            StandardOutput.writeOrExit(script)
            ExitStatus.success.exitNow()
        }
        await Vplay.main(arguments)
    }
}

struct Vplay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vplay",
        abstract: "Plays media on a machine without a screen.",
        usage: """
            vplay [play] [<options>] <input> ...
            vplay probe [--json] <input>
            vplay snapshot <input> --at <t> --output <path>
            vplay pick [--kind <kind>] [--play] [<input> ...]
            vplay record [--device <path>|--test] --output <path>
            vplay bench [--json] [--threads <n>] <input>
            """,
        discussion: """
            Exit status: 0 played to the end or told to stop, 1 something could not be played, 64 wrong usage, \
            130 interrupted, 143 terminated, 128 + N ended by another signal N. A closed output pipe ends it quietly, as it ends cat.
            """,
        version: version,
        subcommands: [
            PlayCommand.self, ProbeCommand.self, SnapshotCommand.self, PickCommand.self, RecordCommand.self,
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
