import ArgumentParser
import FoundationEssentials
import Glibc
import PlayheadCore
import PlayheadPicker

/// The command `vplay pick`, which chooses a file in the terminal.
struct PickCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pick",
        abstract: "Choose a media file from a folder, and print its path or play it.",
        discussion: """
            A folder is replaced by its media files in natural order (clip2 before clip10), including images; hidden \
            files, nested folders and files whose contents are not media are omitted. Several inputs form one list.

            Keys: up and down (or k and j), page up and page down, home and end (or g and G); Enter chooses; Tab \
            cycles through the kinds video, audio, image, all; q, Escape and ^C leave without a choice. Typing \
            filters by name, each word separately and ignoring case: / starts the filter, as does any letter that \
            is not one of these keys; Backspace deletes, Escape ends the filter.

            The path is written to standard output, so that file=$(vplay pick DIR) works; the list is drawn on \
            standard error. Posters are shown beside the names if libchafa is installed and the window has at least 40 \
            columns and 6 rows. Keys are read from standard input; if that or standard error is not a terminal, use \
            --list.

            Exit status: 0 chosen, 1 nothing to choose from or left without a choice, 64 wrong usage, 130 interrupted.
            """
    )

    @Argument(
        help: ArgumentHelp("Folders, files or URLs (default: the current folder).", valueName: "input"),
        completion: .file()
    )
    var inputs: [String] = []

    @Option(help: ArgumentHelp("List only this kind; repeatable.", valueName: "video|audio|image"))
    var kind: [MediaKind] = []

    @Flag(help: "Play the chosen file instead of printing its path.")
    var play = false

    @Flag(help: "Print all paths, one per line, without interaction.")
    var list = false

    @OptionGroup
    var network: NetworkArguments

    func validate() throws {
        if play, list { throw ValidationError("--play and --list exclude each other.") }
    }

    func run() async throws {
        try await playCommand(for: choose()).run()
    }

    /// Returns the command that plays an input, with the options for the network.
    func playCommand(for input: Input) throws -> PlayCommand {
        var command = try PlayCommand.parse(["--", input.argument])
        command.network = network
        return command
    }

    /// Returns the input to play. In all other cases the process exits.
    private func choose() async -> Input {
        // Playback installs handlers of its own.
        let signals = Signals { $0.exitAtOnce() }
        defer { withExtendedLifetime(signals) {} }
        let choices = await Choices(
            InputList(inputs.isEmpty ? ["."] : inputs, .all),
            kinds: kind.isEmpty ? Set(MediaKind.allCases) : Set(kind),
            network.options()
        )
        for problem in choices.problems { Console.shared.printError(problem) }
        if choices.files.isEmpty {
            if choices.problems.isEmpty { Console.shared.printError("no media files to choose from") }
            ExitStatus.failure.exitNow()
        }
        if list {
            for file in choices.files { choices.write(file) }
            (choices.problems.isEmpty ? ExitStatus.success : .failure).exitNow()
        }
        guard TerminalMode.isInteractive else {
            Console.shared.printError(
                "choosing needs a terminal on standard input and standard error; use --list to print all files"
            )
            ExitStatus.failure.exitNow()
        }
        let chosen: MediaFile?
        do {
            chosen = try await PickSession.run(choices)
        } catch {
            Console.shared.printError("\(error)")
            ExitStatus.failure.exitNow()
        }
        guard let chosen, let input = choices.inputs[chosen.url] else { ExitStatus.failure.exitNow() }
        if !play {
            choices.write(chosen)
            ExitStatus.success.exitNow()
        }
        return input
    }
}

/// The files to choose from, and the inputs that they belong to.
struct Choices: Sendable {
    private(set) var files: [MediaFile] = []
    private(set) var inputs: [URL: Input] = [:]
    private(set) var problems: [String]
    let network: NetworkOptions

    init(_ list: InputList, kinds: Set<MediaKind>, _ network: NetworkOptions) async {
        self.network = network
        problems = list.problems
        let found = await Self.kinds(of: list.inputs, network)
        for (input, kind) in zip(list.inputs, found) {
            switch kind {
            case .success(let kind):
                guard kinds.contains(kind), inputs.updateValue(input, forKey: input.url) == nil else {
                    continue
                }
                files.append(MediaFile(url: input.url, name: oneLine(input.shortName), kind: kind))
            case .failure(let error):
                problems.append("\(input.name): \(error.message)")
            }
        }
    }

    private struct Failure: Error {
        let message: String
    }

    private static func kinds(
        of inputs: [Input],
        _ network: NetworkOptions
    ) async -> [Result<MediaKind, Failure>] {
        await inputs.concurrentMap(width: 4) { input in
            // The first bytes identify images and audio files without opening them.
            if input.url.isFileURL, !input.isPipe,
                case .kind(let kind)? = MediaContents(ofFile: input.pathBytes)
            {
                return .success(kind)
            }
            if input.isPipe { return .failure(Failure(message: "a pipe cannot be chosen; use a file")) }
            let asset = input.asset(network: network)
            do throws(PlaybackError) {
                try await asset.load()
            } catch {
                return .failure(Failure(message: reason(error)))
            }
            return asset.kind.map { .success($0) }
                ?? .failure(Failure(message: "no video or audio track"))
        }
    }

    /// Writes the path of a file, as given in the arguments, as a line of standard output.
    func write(_ file: MediaFile) {
        guard let input = inputs[file.url] else { return }
        StandardOutput.writeOrExit(bytes: input.argumentBytes + [UInt8(ascii: "\n")])
    }
}
