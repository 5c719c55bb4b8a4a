import ArgumentParser
import Dispatch
import PlayheadCore

/// The command `vplay snapshot`, as parsed.
struct SnapshotCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot",
        abstract: "Write still images: one, several, or sheets of thumbnails.",
        discussion: """
            An image is the frame that a player shows at that time, upright and with square pixels. The name's \
            extension selects the format: png, jpg (or jpeg), webp; - is standard output, as PNG. Several images need \
            %d or %04d in the name, which is numbered from 1 in the order of --at. Without --at, --count and \
            --sprite, --best is the default.

            Times are seconds or [[hh:]mm:]ss[.fraction], exact, relative to the earliest start of the video and audio \
            tracks. --count N uses the middles of N equal parts. Times may be in any order: the file is read once. For \
            a time past the end the last frame is written, with a warning.

            A sheet holds COLSxROWS images, left to right and then down, and --count may ask for more than one \
            sheet. --vtt writes a WebVTT file that gives the position of each image in its sheet as \
            #xywh=, for the preview of a player.

            Subtitles are those of the time of the image. Text needs libass (Debian: libass9).

            Files are written under a temporary name and renamed when they are complete. Existing files are replaced; on a \
            terminal one line says so. An output may not be an input.
            """
    )

    @Argument(
        help: ArgumentHelp("A file, a URL, or - for a file as standard input.", valueName: "input"),
        completion: .file()
    )
    var input: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Output file.", valueName: "path"),
        completion: .file()
    )
    var output: String

    @Option(help: ArgumentHelp("Write the frame due at T; repeatable.", valueName: "t"))
    var at: [TimeArgument] = []

    @Option(help: ArgumentHelp("Write N frames at regular intervals.", valueName: "n"))
    var count: Int?

    @Flag(help: "Write a frame that is neither black nor uniform, of ten at regular intervals.")
    var best = false

    @Flag(help: "Use the nearest key frames, which is much faster.")
    var fast = false

    @Option(
        help: ArgumentHelp(
            "Exact size of an image (default: as displayed; 160 pixels wide in sheets).",
            valueName: "wxh"
        )
    )
    var size: SizeArgument?

    @Option(help: "How a frame is fitted into --size.")
    var gravity = VideoGravity.resizeAspect

    @Option(
        help: ArgumentHelp("Conversion of HDR frames.", valueName: "which")
    )
    var dynamicRange = DynamicRangePolicy.forceSDR

    @Flag(help: "Draw subtitles: those of the next two options, or of the default track.")
    var subtitles = false

    @Option(help: ArgumentHelp("Draw the subtitles of this track.", valueName: "index|language"))
    var subtitleTrack: TrackArgument?

    @Option(
        help: ArgumentHelp("Draw the subtitles of this file (SubRip, WebVTT, ASS, ...).", valueName: "path"),
        completion: .file()
    )
    var subtitleFile: String?

    @Option(
        help: ArgumentHelp(
            "The encoding of a subtitle file that is not UTF-8, such as CP1251 (default: Windows-1252).",
            valueName: "name"
        )
    )
    var subtitleEncoding: EncodingArgument?

    @Option(help: ArgumentHelp("Quality of jpg and webp, 1 to 100 (default: 90).", valueName: "q"))
    var quality: Int?

    @Option(help: ArgumentHelp("Write sheets of this many columns and rows.", valueName: "colsxrows"))
    var sprite: GridArgument?

    @Option(
        help: ArgumentHelp(
            "With --sprite: write the times and positions of the images as WebVTT.",
            valueName: "path"
        ),
        completion: .file()
    )
    var vtt: String?

    @OptionGroup
    var network: NetworkArguments

    func run() async throws {
        let options = try SnapshotOptions(self)
        let snapshot = Task { try await Snapshot(options).write() }
        let ended = Locked<ExitStatus?>(nil)
        let signals = Signals(gracePeriod: .seconds(1)) { status in
            ended.withLock { $0 = status }
            snapshot.cancel()
        }
        do {
            try await snapshot.value
            await options.network.cache?.flush()
        } catch _ where ended.withLock({ $0 }) != nil {
            // The files that were being written are complete.
        } catch let error as PlaybackError where error.code == .brokenPipe {
            ExitStatus.closedPipe.exitNow()
        } catch let failure as SnapshotFailure {
            Console.shared.printError(failure.sentence)
            ExitStatus.failure.exitNow()
        }
        withExtendedLifetime(signals) {}
        let status = ended.withLock { $0 } ?? .success
        status.exitNow()
    }
}

/// The validated options of `snapshot`.
struct SnapshotOptions: Sendable {
    /// The frames to write.
    enum Choice: Sendable {
        case best
        case at([MediaTime])
        case count(Int)
    }

    /// The subtitles to draw.
    enum Subtitles: Sendable {
        case defaultTrack
        case track(TrackArgument)
        case file(Input)
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
    let subtitles: Subtitles?
    let subtitleEncoding: TextEncoding?
    let sheet: GridArgument?
    let track: String?

    private static let maximumImageCount = 100_000

    init(_ command: SnapshotCommand) throws(ValidationError) {
        guard let input = Input(command.input) else {
            throw ValidationError("\(Input.refusal(of: command.input)).")
        }
        self.input = input
        guard !input.isPipe else {
            throw ValidationError("\(input.sentenceName) can be read only once; stills need a file.")
        }
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
                    "--quality is for jpg and webp: \(names.format.rawValue) is lossless."
                )
            }
        }
        quality = command.quality
        subtitles = try Self.subtitles(command)
        subtitleEncoding = command.subtitleEncoding?.encoding
        choice = try Self.choice(command)
        let images = choice.count
        let files = sheet.map { (images + $0.count - 1) / $0.count } ?? images
        if files > 1, !names.path.isPattern {
            throw ValidationError("\(oneLine(command.output)): \(files) images need %d in the name.")
        }
        if track != nil, sheet == nil { throw ValidationError("--vtt needs --sprite.") }
        try refuseInputAsOutput(files)
    }

    func asset(ofSubtitles file: Input) -> Asset {
        file.asset(network: network, subtitleEncoding: subtitleEncoding)
    }

    private static func choice(_ command: SnapshotCommand) throws(ValidationError) -> Choice {
        let given = [!command.at.isEmpty, command.count != nil, command.best].count { $0 }
        guard given <= 1 else { throw ValidationError("--at, --count and --best exclude one another.") }
        if !command.at.isEmpty {
            guard command.sprite == nil else { throw ValidationError("--sprite takes --count, not --at.") }
            guard command.at.count <= maximumImageCount else {
                throw ValidationError("--at: too many times.")
            }
            return .at(command.at.map(\.time))
        }
        if let sprite = command.sprite {
            guard !command.best else { throw ValidationError("--sprite takes --count, not --best.") }
            return .count(try checked(command.count ?? sprite.count))
        }
        if let count = command.count { return .count(try checked(count)) }
        return .best
    }

    private static func subtitles(_ command: SnapshotCommand) throws(ValidationError) -> Subtitles? {
        if let path = command.subtitleFile {
            guard command.subtitleTrack == nil else {
                throw ValidationError("--subtitle-track and --subtitle-file exclude one another.")
            }
            guard let file = Input(path) else {
                throw ValidationError("--subtitle-file: \(Input.refusal(of: path)).")
            }
            return .file(file)
        }
        if let track = command.subtitleTrack { return .track(track) }
        return command.subtitles ? .defaultTrack : nil
    }

    private static func checked(_ count: Int) throws(ValidationError) -> Int {
        guard (1...maximumImageCount).contains(count) else {
            throw ValidationError("--count must be 1 to \(maximumImageCount).")
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
        var inputs = [input]
        if case .file(let file) = subtitles { inputs.append(file) }
        try outputs.refuseInputs(inputs)
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
