import ArgumentParser
import Dispatch
import FoundationEssentials
import PlayheadCore

/// The command `vplay frames`, as parsed.
struct FramesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "frames",
        abstract: "Write exact frames for programs: a NumPy file, images, or raw frames on a pipe.",
        discussion: """
            Without --count, --fps, --at and --key-frames every frame is written, in presentation order. --count N uses \
            the middles of N equal parts, --fps F the frames due at 0, 1/F, 2/F and so on. Frames are exact, upright and \
            have square pixels; they are scaled and converted while they are decoded. Only a few are in memory at a time.

            A name that ends in .npy is a NumPy array of the shape (N, height, width, channels): uint8, or float32 from \
            0 to 1 with --pixel-format rgbf32. A name that ends in .png, .jpg or .webp with %d or %04d is an image for \
            each frame, numbered from 1. Everything else, and - for standard output, is raw: frame after frame without \
            padding. A pipe as input needs --size, and has no --count and --at. Existing files are replaced when the new ones are complete; \
            on a terminal one line says so.

            --header writes one line of JSON before raw frames: count and times (null without --count, --fps or --at; \
            times are the requested ones, in seconds, and need a known duration), width, height, pixelFormat, channels and dtype (null if the format \
            has planes), and byteCount of a frame.
            """
    )

    @Argument(
        help: ArgumentHelp("A file, a URL, or - for standard input.", valueName: "input"),
        completion: .file()
    )
    var input: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Output: a .npy file, numbered images, a file or - for raw frames.",
            valueName: "path"
        ),
        completion: .file()
    )
    var output: String

    @Option(help: ArgumentHelp("Write N frames at regular intervals.", valueName: "n"))
    var count: Int?

    @Option(help: ArgumentHelp("Write F frames per second.", valueName: "f"))
    var fps: Double?

    @Option(help: ArgumentHelp("With --fps: at most N frames.", valueName: "n"))
    var limit: Int?

    @Option(help: ArgumentHelp("Write the frame due at T; repeatable, in any order.", valueName: "t"))
    var at: [TimeArgument] = []

    @Flag(help: "Write the key frames, which is much faster.")
    var keyFrames = false

    @Option(help: ArgumentHelp("Exact size of a frame (default: as displayed).", valueName: "wxh"))
    var size: SizeArgument?

    @Option(help: "How a frame is fitted into --size.")
    var gravity = VideoGravity.resize

    @Option(
        help: ArgumentHelp(
            "rgb24 (default), rgbf32 (float32 from 0 to 1), gray, or another pixel format by FFmpeg's name.",
            valueName: "f"
        )
    )
    var pixelFormat = "rgb24"

    @Flag(help: "Write a line of JSON before raw frames.")
    var header = false

    // --header has another meaning here.
    @Option(help: RequestHeader.help)
    var httpHeader: [String] = []

    @OptionGroup
    var connection: ConnectionArguments

    func validate() throws { try RequestHeader.check(httpHeader, "--http-header") }

    func run() async throws {
        let options = try FramesOptions(self)
        let export = Task { try await FrameExport(options).write() }
        let ended = Locked<ExitStatus?>(nil)
        let signals = Signals(gracePeriod: .seconds(1)) { status in
            ended.withLock { $0 = status }
            export.cancel()
        }
        do {
            try await export.value
            await options.network.cache?.flush()
        } catch _ where ended.withLock({ $0 }) != nil {
            // The part file has been discarded.
        } catch let error as PlaybackError where error.code == .brokenPipe {
            ExitStatus.closedPipe.exitNow()
        } catch let error as SnapshotFailure {
            Console.shared.printError(error.sentence)
            ExitStatus.failure.exitNow()
        } catch let error as PlaybackError {
            // A message about the output names its file already.
            let isOfInput = error.underlying is MediaError
            Console.shared.printError(isOfInput ? "\(options.input.name): \(reason(error))" : error.message)
            ExitStatus.failure.exitNow()
        }
        withExtendedLifetime(signals) {}
        let status = ended.withLock { $0 } ?? .success
        status.exitNow()
    }
}
