import ArgumentParser
import Playhead

/// `vplay snapshot`: the words of the command line, as they come.
struct SnapshotCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot",
        abstract: "Write stills: one, several, or sheets of small ones.",
        discussion: """
            An image is the picture that a player shows at that time, upright and with square pixels; the name's \
            end says how it is stored: png, jpg (or jpeg), webp; - is standard output, as PNG. Several images need \
            a %d in the name (or %04d), which counts from 1 in the order of --at. Without --at, --count and \
            --sprite it is --best.

            Times are seconds or [[hh:]mm:]ss[.fraction], exact, counted from the first picture. --count N takes \
            the middles of N equal parts. Times may come in any order: the file is gone through once.

            A sheet holds COLSxROWS images, left to right and then down, and --count may ask for more than one \
            sheet. --vtt writes a WebVTT file that names for each part of the time its place in a sheet, as \
            #xywh=, for a player's preview.

            Files are written beside and take their names when they are whole. An output may not be the input.
            """
    )

    @Argument(
        help: ArgumentHelp("A file, a URL, or - for standard input.", valueName: "input"),
        completion: .file()
    )
    var input: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Where images go.", valueName: "path"),
        completion: .file()
    )
    var output: String

    @Option(help: ArgumentHelp("The picture due at T; repeatable.", valueName: "t"))
    var at: [TimeArgument] = []

    @Option(help: ArgumentHelp("N pictures, spread evenly.", valueName: "n"))
    var count: Int?

    @Flag(help: "A picture that is neither black nor plain, of ten that are spread evenly.")
    var best = false

    @Flag(help: "The nearest key frames instead: much quicker.")
    var fast = false

    @Option(
        help: ArgumentHelp(
            "Exactly this size (default: as it is shown; 160 pixels wide in sheets).",
            valueName: "wxh"
        )
    )
    var size: SizeArgument?

    @Option(help: "How a picture is laid into --size.")
    var gravity = VideoGravity.resizeAspect

    @Option(
        help: ArgumentHelp("What becomes of pictures of high dynamic range.", valueName: "which")
    )
    var dynamicRange = DynamicRangePolicy.forceSDR

    @Option(help: ArgumentHelp("Of jpg and webp, 1 to 100 (default: 90).", valueName: "q"))
    var quality: Int?

    @Option(help: ArgumentHelp("Sheets of so many columns and rows.", valueName: "colsxrows"))
    var sprite: GridArgument?

    @Option(
        help: ArgumentHelp("With --sprite: tells which image is for which time.", valueName: "path"),
        completion: .file()
    )
    var vtt: String?

    @OptionGroup
    var network: NetworkArguments

    func run() async throws {
        let options = try SnapshotOptions(self)
        let signals = Signals { $0.exitAtOnce() }
        do {
            try await Snapshot(options).write()
            await options.network.cache?.flush()
        } catch let failure as SnapshotFailure {
            Console.shared.printError(failure.sentence)
            ExitStatus.failure.exitNow()
        }
        withExtendedLifetime(signals) {}
        ExitStatus.success.exitNow()
    }
}

/// What the words mean, checked.
struct SnapshotOptions: Sendable {
    /// Which pictures are wanted.
    enum Choice: Sendable {
        case best
        case at([MediaTime])
        case count(Int)
    }

    let input: Input
    let network: NetworkOptions
    let names: ImageNames
    let choice: Choice
    let isFast: Bool
    let size: PixelSize?
    let gravity: VideoGravity
    let dynamicRange: DynamicRangePolicy
    let quality: Int?
    let sheet: GridArgument?
    let track: String?

    private static let mostImages = 100_000

    init(_ command: SnapshotCommand) throws(ValidationError) {
        guard let input = Input(command.input) else {
            throw ValidationError("\(Input.refusal(of: command.input)).")
        }
        self.input = input
        network = command.network.options()
        names = try ImageNames(command.output)
        isFast = command.fast
        size = command.size?.size
        gravity = command.gravity
        dynamicRange = command.dynamicRange
        sheet = command.sprite
        track = command.vtt
        if let quality = command.quality {
            guard (1...100).contains(quality) else { throw ValidationError("--quality must be 1 to 100.") }
            guard names.format.hasQuality else {
                throw ValidationError(
                    "--quality is for jpg and webp: \(names.format.rawValue) loses nothing."
                )
            }
        }
        quality = command.quality
        choice = try Self.choice(command)
        let images = choice.count
        let files = sheet.map { (images + $0.count - 1) / $0.count } ?? images
        if files > 1, !names.path.isPattern {
            throw ValidationError("\(oneLine(command.output)): \(files) images need a %d in the name.")
        }
        if track != nil, sheet == nil { throw ValidationError("--vtt needs --sprite.") }
        try refuseInputAsOutput(files)
    }

    private static func choice(_ command: SnapshotCommand) throws(ValidationError) -> Choice {
        let given = [!command.at.isEmpty, command.count != nil, command.best].count { $0 }
        guard given <= 1 else { throw ValidationError("--at, --count and --best exclude one another.") }
        if !command.at.isEmpty {
            guard command.sprite == nil else { throw ValidationError("--sprite takes --count, not --at.") }
            guard command.at.count <= mostImages else { throw ValidationError("--at: too many times.") }
            return .at(command.at.map(\.time))
        }
        if let sprite = command.sprite {
            guard !command.best else { throw ValidationError("--sprite takes --count, not --best.") }
            return .count(try checked(command.count ?? sprite.count))
        }
        if let count = command.count { return .count(try checked(count)) }
        return .best
    }

    private static func checked(_ count: Int) throws(ValidationError) -> Int {
        guard (1...mostImages).contains(count) else {
            throw ValidationError("--count must be 1 to \(mostImages).")
        }
        return count
    }

    private func refuseInputAsOutput(_ files: Int) throws(ValidationError) {
        var outputs: [FileIdentity: String] = [:]
        for path in (1...files).map(names.path.path) + (track.map { [$0] } ?? []) {
            guard let identity = FileIdentity(output: path) else { continue }
            guard outputs.updateValue(path, forKey: identity) == nil else {
                throw ValidationError("\(oneLine(path)) would be written twice.")
            }
        }
        try outputs.refuseInputs([input])
    }
}

extension SnapshotOptions.Choice {
    var count: Int {
        switch self {
        case .best: 1
        case .at(let times): times.count
        case .count(let count): count
        }
    }
}
