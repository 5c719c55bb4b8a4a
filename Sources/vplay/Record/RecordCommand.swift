import ArgumentParser
import Dispatch
import Foundation
import Glibc
import Playhead
import PlayheadCapture

/// `vplay record`: a camera, or a test pattern, into a file.
struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record a camera, or a test pattern, into a file that plays.",
        discussion: """
            Pictures alone, without sound: H.264 in mp4, m4v, mov and mkv, VP9 in webm; the output's name says which. \
            Without --device and --test it is the camera at /dev/video0. It records until --duration or --frames is \
            reached, q is pressed on the terminal, or it is interrupted; the file is whole each time. It is written beside, as \
            NAME.XXXXXX.part, and takes its name at the end.

            Cameras are read through FFmpeg's libavdevice (Debian: libavdevice59), by Video4Linux. A camera that has \
            no such size or rate takes the nearest, or says that it has none.

            Exit status: 0 recorded, 1 there is no such camera, it has failed, or the file cannot be written, 64 wrong \
            usage, 130 interrupted (the file is whole), 143 terminated (the same).
            """
    )

    @Option(
        help: ArgumentHelp("The camera (default: /dev/video0).", valueName: "path"),
        completion: .file()
    )
    var device: String?

    @Flag(help: "A moving test pattern instead of a camera.")
    var test = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The file to write: mp4, m4v, mov, mkv or webm.", valueName: "path"),
        completion: .file()
    )
    var output: String

    @Option(
        help: ArgumentHelp(
            "Of the pictures (default: the camera's own; 640x360 with --test).",
            valueName: "wxh"
        )
    )
    var size: SizeArgument?

    @Option(
        help: ArgumentHelp("Pictures a second (default: the camera's own; 30 with --test).", valueName: "n")
    )
    var fps: Int?

    @Option(help: ArgumentHelp("Stop after so long.", valueName: "t"))
    var duration: TimeArgument?

    @Option(help: ArgumentHelp("Stop after N pictures.", valueName: "n"))
    var frames: Int?

    @Flag(help: "With --test: as fast as the machine can.")
    var untimed = false

    @Flag(help: "No status line; only what went wrong.")
    var quiet = false

    func validate() throws {
        if test, device != nil { throw ValidationError("--device and --test exclude each other.") }
        if untimed, !test { throw ValidationError("--untimed is for --test: a camera has its own time.") }
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
        let name = device ?? "/dev/video0"
        let recorder = Recorder(
            CaptureSource(test ? .testPattern : .camera(name), size: size?.size, frameRate: fps),
            to: URL(fileURLWithPath: output, isDirectory: false),
            duration: duration?.time,
            frameLimit: frames,
            isUntimed: untimed
        )
        let ended = Latch<ExitStatus>()
        let signals = Signals(patience: .seconds(2)) { status in
            ended.open(status)
            recorder.stop()
        }
        let keys = TerminalMode.isInteractive ? Self.quitKey(recorder) : nil
        let stops = keys.map(Self.stops)
        let status = quiet ? nil : RecordStatus(recorder, name: output) { [weak keys] in keys?.refresh() }
        do {
            _ = try await recorder.record()
        } catch {
            status?.end()
            let words = reason(error)
            // The camera is to blame, or the file, whose name is in the words already.
            Console.shared.printError(
                (error.underlying as? MediaError)?.code == .sinkFailed
                    ? words : "\(test ? output : name): \(words)"
            )
            ExitStatus.failure.exitNow()
        }
        withExtendedLifetime((signals, stops, keys)) {}
        status?.end()
        ended.open(.success)
        await ended.wait().exitNow()
    }

    private static func quitKey(_ recorder: Recorder) -> KeyReader? {
        KeyReader(on: DispatchQueue(label: "vplay.keys")) { bytes in
            if bytes.contains(UInt8(ascii: "q")) { recorder.stop() }
        }
    }

    /// Restores the terminal before ^Z stops the process, and reads keys again once it continues.
    private static func stops(_ keys: KeyReader) -> Signals {
        Signals.stops {
            Console.shared.clearStatus()
            TerminalMode.restore()
        } goOn: { [weak keys] in
            guard let keys else { return }
            _ = TerminalMode.readKeys()
            keys.refresh()
        }
    }
}

/// How far it has come, twice a second, where somebody may be watching.
private final class RecordStatus: Sendable {
    private let timer: SendableTimer?

    /// `tick` is called before each update.
    init(_ recorder: Recorder, name: String, tick: @escaping @Sendable () -> Void) {
        guard Console.shared.isTerminal else {
            timer = nil
            return
        }
        let name = oneLine(name)
        timer = SendableTimer {
            tick()
            guard TerminalMode.isForeground(STDERR_FILENO) else { return }
            let progress = recorder.progress
            let seconds = String(format: "%.1f", progress.duration.seconds)
            let line = "recording \(name)  \(seconds) s, \(progress.frameCount) pictures, q ends it"
            Console.shared.showStatus(line.cut(toColumns: TerminalMode.columns - 1))
        }
    }

    func end() {
        timer?.cancel()
        Console.shared.clearStatus()
    }
}

/// `@unchecked Sendable`: immutable, and dispatch sources may be used from any thread; only their protocol does not say so.
private final class SendableTimer: @unchecked Sendable {
    private let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "vplay.status"))

    init(_ handler: @escaping @Sendable () -> Void) {
        timer.setEventHandler(handler: handler)
        timer.schedule(deadline: .now(), repeating: .milliseconds(500))
        timer.activate()
    }

    func cancel() { timer.cancel() }
}
