import Dispatch
import Foundation
import Synchronization

/// What a run of `vplay` left behind.
struct Outcome: Sendable {
    let status: Int32
    /// The signal it died of, if it did.
    let signal: Int32?
    let output: Data
    let errors: String

    var text: String { String(decoding: output, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }
    var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
    /// The lines of a framemd5 text that stand for pictures.
    var pictures: [String] { lines.filter { !$0.hasPrefix("#") } }
}

/// The built `vplay`, run as a user runs it.
enum Command {
    /// `PLAYHEAD_VPLAY` if that is set (`make test` sets it to the release build, which users have), otherwise the binary
    /// beside the test bundle.
    static let url: URL = {
        let chosen = ProcessInfo.processInfo.environment["PLAYHEAD_VPLAY"]
        if let chosen { return URL(fileURLWithPath: chosen) }
        let arguments = [Bundle.main.executablePath, CommandLine.arguments.first].compactMap(\.self)
        let places = arguments.map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
        let candidates = places.map { $0.appendingPathComponent("vplay") }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? candidates[0]
    }()

    /// Ends with the process, which is killed when it takes longer than anything here should.
    static func run(_ arguments: [String], in folder: URL? = nil, input: URL? = nil) async throws -> Outcome {
        try await Turns.shared.take {
            try await Running(url.path, arguments, in: folder, input: input).outcome()
        }
    }

    static func run(_ arguments: String...) async throws -> Outcome { try await run(arguments) }

    /// A line of bash in which `$vplay` is the command; for pipes.
    static func shell(_ line: String, _ arguments: String...) async throws -> Outcome {
        try await shell(line, arguments)
    }

    static func shell(_ line: String, _ arguments: [String]) async throws -> Outcome {
        let script = "vplay='\(url.path)'\n" + line
        return try await Turns.shared.take {
            try await Running("/bin/bash", ["-c", script, "bash"] + arguments, in: nil, input: nil).outcome()
        }
    }
}

/// As many processes at a time as there are cores: tests run all at once, and a hundred decoders would not fit
/// into memory.
actor Turns {
    static let shared = Turns()

    private var free = max(2, ProcessInfo.processInfo.activeProcessorCount)
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func take<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
        defer {
            if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
        }
        return try await body()
    }
}

/// A process under way, with its output in files that cannot fill up as pipes do.
final class Running: Sendable {
    private let process: Process
    private let ended: AsyncStream<Void>
    private let outputURL: URL
    private let errorsURL: URL

    init(_ path: String, _ arguments: [String], in folder: URL?, input: URL?, output: Pipe? = nil) throws {
        let temporary = FileManager.default.temporaryDirectory
        outputURL = temporary.appendingPathComponent("vplay-\(UUID().uuidString).out")
        errorsURL = temporary.appendingPathComponent("vplay-\(UUID().uuidString).err")
        for url in [outputURL, errorsURL] { try Data().write(to: url) }
        process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        // Whoever's machine this is: its loudspeakers stay silent.
        var environment = ProcessInfo.processInfo.environment
        environment["PULSE_SERVER"] = "unix:/nonexistent/playhead"
        // And no window appears on its desktop.
        for name in ["DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"] { environment[name] = nil }
        // Nor do the options of its user apply.
        environment["XDG_CONFIG_HOME"] = "/nonexistent/playhead"
        process.environment = environment
        let source = try FileHandle(forReadingFrom: input ?? URL(fileURLWithPath: "/dev/null"))
        let errors = try FileHandle(forWritingTo: errorsURL)
        process.standardInput = source
        process.standardError = errors
        let file = try FileHandle(forWritingTo: outputURL)
        if let output {
            process.standardOutput = output
        } else {
            process.standardOutput = file
        }
        let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
        self.ended = ended
        process.terminationHandler = { _ in continuation.finish() }
        try process.run()
        // The child has its own. A `Process` keeps these open for longer, and Foundation's sockets cannot
        // count beyond 1,024.
        for handle in [source, errors, file] { try handle.close() }
    }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Only a process that hangs comes near this. A script that plays many files in real time takes more than a minute.
    private static let patience = DispatchTimeInterval.seconds(300)

    func outcome() async throws -> Outcome {
        let identifier = process.processIdentifier
        let stuckDetector = DispatchWorkItem { kill(identifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience, execute: stuckDetector)
        for await _ in ended {}
        stuckDetector.cancel()
        defer {
            for url in [outputURL, errorsURL] { unlink(url.path) }
        }
        let died = process.terminationReason == .uncaughtSignal
        return Outcome(
            status: process.terminationStatus,
            signal: died ? process.terminationStatus : nil,
            output: try Data(contentsOf: outputURL),
            errors: String(decoding: try Data(contentsOf: errorsURL), as: UTF8.self)
        )
    }
}
