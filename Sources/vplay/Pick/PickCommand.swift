import ArgumentParser
import Foundation
import Glibc
import Playhead
import PlayheadPicker

/// `vplay pick`: choose a file in the terminal.
struct PickCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pick",
        abstract: "Choose one of the media in a folder, and print its path or play it.",
        discussion: """
            A folder stands for its media files in natural order (clip2 before clip10), pictures too; hidden files, \
            folders inside and what is no media by its own bytes are left out. Several inputs make one list.

            Keys: up and down (or k and j), page up and page down, home and end (or g and G); Enter chooses; Tab \
            turns through the kinds, video, audio, image, all; q, Escape and ^C leave without a choice. Typing \
            filters by name, every word on its own, large or small: / begins it, or any letter that is none of \
            these keys; Backspace takes back, Escape ends it.

            The path goes to standard output, so that file=$(vplay pick DIR) works; what is seen is drawn on \
            standard error. Posters stand beside the names where libchafa is installed and the window has 40 \
            columns. Keys are read from standard input; where that or standard error is no terminal, --list is \
            the way.

            Exit status: 0 chosen, 1 nothing to choose from or left without a choice, 64 wrong usage, 130 interrupted.
            """
    )

    @Argument(
        help: ArgumentHelp("Folders, files or URLs (default: this folder).", valueName: "input"),
        completion: .file()
    )
    var inputs: [String] = []

    @Option(help: ArgumentHelp("Only these; repeatable.", valueName: "video|audio|image"))
    var kind: [MediaKind] = []

    @Flag(help: "Play what is chosen, instead of printing its path.")
    var play = false

    @Flag(help: "Print all paths, one a line, and ask nobody.")
    var list = false

    @OptionGroup
    var network: NetworkArguments

    func validate() throws {
        if play, list { throw ValidationError("--play and --list exclude each other.") }
    }

    func run() async throws {
        let input = await choose()
        let command = try PlayCommand.parse(["--", input.argument])
        try await command.run()
    }

    /// Returns with what is to be played; in all other cases the process ends here.
    private func choose() async -> Input {
        // Those of playing are others.
        let signals = Signals { $0.exitAtOnce() }
        defer { withExtendedLifetime(signals) {} }
        let choices = await Choices(
            InputList(inputs.isEmpty ? ["."] : inputs, .all),
            kinds: kind.isEmpty ? Set(MediaKind.allCases) : Set(kind),
            network.options()
        )
        for complaint in choices.complaints { Console.shared.printError(complaint) }
        if choices.files.isEmpty {
            if choices.complaints.isEmpty { Console.shared.printError("there is nothing to choose from") }
            ExitStatus.failure.exitNow()
        }
        if list {
            for file in choices.files { choices.write(file) }
            (choices.complaints.isEmpty ? ExitStatus.success : .failure).exitNow()
        }
        guard TerminalMode.isInteractive else {
            Console.shared.printError(
                "choosing needs a terminal on standard input and standard error; --list prints all of them"
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

/// What can be chosen, and what the arguments call it.
struct Choices: Sendable {
    private(set) var files: [MediaFile] = []
    private(set) var inputs: [URL: Input] = [:]
    private(set) var complaints: [String]
    let network: NetworkOptions

    init(_ list: InputList, kinds: Set<MediaKind>, _ network: NetworkOptions) async {
        self.network = network
        complaints = list.complaints
        let found = await Self.kinds(of: list.inputs, network)
        for (input, kind) in zip(list.inputs, found) {
            switch kind {
            case .success(let kind):
                guard kinds.contains(kind), inputs.updateValue(input, forKey: input.url) == nil else {
                    continue
                }
                files.append(MediaFile(url: input.url, name: oneLine(input.shortName), kind: kind))
            case .failure(let error):
                complaints.append("\(input.name): \(error.words)")
            }
        }
    }

    private struct Failure: Error {
        let words: String
    }

    private static func kinds(
        of inputs: [Input],
        _ network: NetworkOptions
    ) async -> [Result<MediaKind, Failure>] {
        await inputs.concurrentMap(width: 4) { input in
            // A picture or sound is known without opening it.
            if input.url.isFileURL, !input.isPipe,
                case .kind(let kind)? = MediaContents(ofFile: input.pathBytes)
            {
                return .success(kind)
            }
            if input.isPipe { return .failure(Failure(words: "a pipe cannot be chosen")) }
            let asset = input.asset(network: network)
            do throws(PlaybackError) {
                try await asset.load()
            } catch {
                return .failure(Failure(words: reason(error)))
            }
            return asset.kind.map { .success($0) }
                ?? .failure(Failure(words: "there is nothing in it to see or to hear"))
        }
    }

    /// Its path, as it was given, on a line of standard output.
    func write(_ file: MediaFile) {
        guard let input = inputs[file.url] else { return }
        StandardOutput.writeOrExit(bytes: input.argumentBytes + [UInt8(ascii: "\n")])
    }
}
