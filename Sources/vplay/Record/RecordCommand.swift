import ArgumentParser
import Dispatch
import FoundationEssentials
import Glibc
import PlayheadCapture
import PlayheadCore

/// The command `vplay record`, which records a camera or a test pattern to a file.
struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record a camera or a test pattern to a file.",
        discussion: """
            Video without audio: H.264 in mp4, m4v, mov and mkv, VP9 in webm; the extension of the output selects the \
            format. Without --device and --test the camera is /dev/video0. Recording ends when --duration or --frames \
            is reached, when q is pressed on the terminal, or on interruption; the file is complete in each case. It is \
            written as NAME.XXXXXX.part and renamed at the end. An existing file that is not empty is replaced only with \
            --overwrite. A named pipe can be written as mkv or webm.

            Cameras are read by Video4Linux through FFmpeg's libavdevice (Debian: libavdevice59). A camera that does \
            not support the size or rate uses the nearest one, or reports an error.

            Exit status: 0 recorded, 1 camera not found, camera failed, or the file exists or cannot be written, 64 wrong \
            usage, 130 interrupted (the file is complete if a frame was recorded), 143 terminated (likewise).
            """
    )

    @Option(
        help: ArgumentHelp("The camera (default: /dev/video0).", valueName: "path"),
        completion: .file()
    )
    var device: String?

    @Flag(help: "Record a moving test pattern instead of a camera.")
    var test = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Output file: mp4, m4v, mov, mkv or webm.", valueName: "path"),
        completion: .file()
    )
    var output: String

    @Option(
        help: ArgumentHelp(
            "Frame size (default: that of the camera; 640x360 with --test).",
            valueName: "wxh"
        )
    )
    var size: SizeArgument?

    @Option(
        help: ArgumentHelp("Frames per second (default: that of the camera; 30 with --test).", valueName: "n")
    )
    var fps: Int?

    @Option(help: ArgumentHelp("Stop after this duration.", valueName: "t"))
    var duration: TimeArgument?

    @Option(help: ArgumentHelp("Stop after N frames.", valueName: "n"))
    var frames: Int?

    @Flag(help: "With --test: record as fast as possible.")
    var untimed = false

    @Flag(name: [.customShort("y"), .long], help: "Replace an existing file.")
    var overwrite = false

    @Flag(help: "Print only errors: no status line.")
    var quiet = false

    func validate() throws {
        if test, device != nil { throw ValidationError("--device and --test exclude each other.") }
        if untimed, !test {
            throw ValidationError("--untimed requires --test: a camera records in real time.")
        }
        if let size = size?.size, size.width % 2 != 0 || size.height % 2 != 0 {
            throw ValidationError("--size \(size): expected an even width and height.")
        }
        if let fps, !(1...1000).contains(fps) { throw ValidationError("--fps \(fps): expected 1 to 1000.") }
        if let frames, frames < 1 { throw ValidationError("--frames \(frames): expected 1 or more.") }
        if let duration, duration.time <= .zero { throw ValidationError("--duration: expected more than 0.") }
        let ending = URL(fileURLWithPath: output).pathExtension.lowercased()
        guard Recorder.containers.contains(ending) else {
            let known = Recorder.containers.joined(separator: ", ")
            throw ValidationError(oneLine("--output \(output): its name must end with one of \(known)."))
        }
    }

    func run() async throws {
        if !overwrite, Self.hasContent(output) {
            Console.shared.printError("\(output): the file exists; use --overwrite to replace it")
            ExitStatus.failure.exitNow()
        }
        let name = device ?? "/dev/video0"
        let recorder = Recorder(
            CaptureSource(test ? .testPattern : .camera(name), size: size?.size, frameRate: fps),
            to: URL(literalPath: output),
            duration: duration?.time,
            frameLimit: frames,
            isUntimed: untimed
        )
        let ended = Latch<ExitStatus>()
        let signals = Signals(gracePeriod: .seconds(2)) { status in
            ended.open(status)
            recorder.stop()
        }
        let keys = TerminalMode.isInteractive ? Self.quitKey(recorder) : nil
        let stops = keys.map(Self.suspensionSignals)
        // With --quiet the terminal must be noticed, too, when the process returns to the foreground.
        let status =
            quiet && keys == nil
            ? nil
            : RecordStatus(recorder, name: output, isShown: !quiet) { [weak keys] in keys?.refresh() }
        do {
            _ = try await recorder.record()
        } catch {
            status?.end()
            let message = reason(error)
            let cause = (error.underlying as? MediaError)?.code
            // A message about the output names the file already; other errors are those of the camera.
            Console.shared.printError(
                cause == .sinkFailed ? message : "\(test ? output : name): \(message)"
            )
            // A signal before the first frame has its own status.
            if cause != .emptyMedia { ExitStatus.failure.exitNow() }
            ended.open(.failure)
            await ended.wait().exitNow()
        }
        withExtendedLifetime((signals, stops, keys)) {}
        status?.end()
        ended.open(.success)
        await ended.wait().exitNow()
    }

    /// Returns true for a regular file that is not empty.
    private static func hasContent(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
    }

    private static func quitKey(_ recorder: Recorder) -> KeyReader? {
        KeyReader(on: DispatchQueue(label: "vplay.keys")) { strokes in
            if strokes.contains(.byte(UInt8(ascii: "q"))) { recorder.stop() }
        }
    }

    /// Restores the terminal before ^Z stops the process, and reads keys again once it continues.
    private static func suspensionSignals(_ keys: KeyReader) -> Signals {
        Signals.onSuspension {
            Console.shared.clearStatus()
            TerminalMode.restore()
        } resume: { [weak keys] in
            guard let keys else { return }
            _ = TerminalMode.readKeys()
            keys.refresh()
        }
    }
}

/// The progress on the status line, updated twice a second if standard error is a terminal that can erase it.
private final class RecordStatus: Sendable {
    /// Dispatch sources may be used from any thread, although their protocol is not declared `Sendable`.
    private nonisolated(unsafe) let timer: (any DispatchSourceTimer)?

    /// Starts the updates. `tick` is called before each of them, also without a line (`--quiet`).
    init(_ recorder: Recorder, name: String, isShown: Bool, tick: @escaping @Sendable () -> Void) {
        guard Console.shared.isTerminal else {
            timer = nil
            return
        }
        let name = oneLine(name)
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "vplay.status"))
        self.timer = timer
        timer.schedule(deadline: .now(), repeating: .milliseconds(500))
        timer.setEventHandler {
            tick()
            guard isShown, Console.shared.canShowStatus, TerminalMode.isForeground(STDERR_FILENO) else {
                return
            }
            let progress = recorder.progress
            let seconds = String(printf: "%.1f", progress.duration.seconds)
            let line = "recording \(name)  \(seconds) s, \(progress.frameCount) frames, q stops"
            Console.shared.showStatus(line.cut(toColumns: TerminalMode.columns - 1))
        }
        timer.activate()
    }

    func end() {
        timer?.cancel()
        Console.shared.clearStatus()
    }
}
