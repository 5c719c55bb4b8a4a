import Dispatch
import Foundation
import MediaCore

/// A PulseAudio server of the test, with a null sink whose monitor can be recorded.
final class AudioServer: Sendable {
    /// A Boolean value that indicates whether PulseAudio and its tools are installed.
    static let isInstalled = ["/usr/bin/pulseaudio", "/usr/bin/parec", "/usr/bin/pactl", "/usr/bin/paplay"]
        .allSatisfy {
            FileManager.default.isExecutableFile(atPath: $0)
        }

    let folder: URL
    /// The address of the server for libpulse.
    var address: String { "unix:\(folder.path)/native" }
    /// The process of the server.
    ///
    /// Foundation's `Process` is not used: it considers a child that closes its inherited descriptors, as this server
    /// does, to have ended, and then waits for it on the thread that monitors all other children.
    private let process = Locked<pid_t?>(nil)

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "playhead-\(UUID().uuidString.prefix(8))"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        kill()
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            print("left behind: \(folder.path): \(error)")
        }
    }

    var environment: [String: String] {
        var environment = ProcessInfo.processInfo.environment
        environment["XDG_RUNTIME_DIR"] = folder.path
        environment["HOME"] = folder.path
        environment["PULSE_SERVER"] = address
        environment["DBUS_SESSION_BUS_ADDRESS"] = "disabled:"
        return environment
    }

    /// Starts the server, and returns when it responds.
    ///
    /// If `rewinds` is true, the device rewinds what it has played ahead, like a plain null device. Some milliseconds
    /// are then missing from its monitor.
    func start(sinks: [String] = ["null"], rate: Int = 48_000, rewinds: Bool = false) async throws {
        var arguments = [
            "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--log-target=stderr",
            "--log-level=error",
        ]
        for sink in sinks {
            let option = rewinds ? "" : " norewinds=1"
            arguments.append("--load=module-null-sink sink_name=\(sink) rate=\(rate)\(option)")
        }
        if rewinds { arguments += ["--log-level=debug", "--log-target=file:\(log.path)"] }
        arguments.append("--load=module-native-protocol-unix auth-anonymous=1 socket=\(folder.path)/native")
        var environment = environment
        environment["PULSE_SERVER"] = nil
        var pid: pid_t = 0
        let argv = (["pulseaudio"] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        let code = posix_spawn(&pid, "/usr/bin/pulseaudio", nil, nil, argv, variables)
        for text in argv + variables { free(text) }
        guard code == 0 else { throw MediaError(.sinkFailed, "the test's audio server cannot be started") }
        process.withLock { $0 = pid }
        // `pactl` does not wait for a server, so it is called until there is one.
        while try await tool("/usr/bin/pactl", "info").status != 0 {
            try Task.checkCancellation()
            guard isRunning() else { throw MediaError(.sinkFailed, "the test's audio server has ended") }
        }
    }

    private func isRunning() -> Bool {
        process.withLock { process -> Bool in
            var status: Int32 = 0
            guard let pid = process, waitpid(pid, &status, WNOHANG) == 0 else {
                process = nil
                return false
            }
            return true
        }
    }

    /// Kills a process. A child of a dispatch thread may have inherited a mask that blocks other signals.
    static func end(_ process: Process) { Foundation.kill(process.processIdentifier, SIGKILL) }

    private var log: URL { folder.appendingPathComponent("log") }

    /// Returns the number of rewinds of the null device.
    func rewindCount() throws -> Int {
        let lines = String(decoding: try Data(contentsOf: log), as: UTF8.self).split(separator: "\n")
        return lines.count { $0.contains("module-null-sink.c: Requested to rewind") }
    }

    /// Kills the server, as a crash would end it.
    func kill() {
        let server = process.withLock { process in
            defer { process = nil }
            return process
        }
        guard let server else { return }
        Foundation.kill(server, SIGKILL)
        var status: Int32 = 0
        waitpid(server, &status, 0)
    }

    func pause() { process.withLock { if let pid = $0 { Foundation.kill(pid, SIGSTOP) } } }
    func resume() { process.withLock { if let pid = $0 { Foundation.kill(pid, SIGCONT) } } }

    @discardableResult
    func control(_ arguments: String...) async throws -> String {
        try await tool("/usr/bin/pactl", arguments).output
    }

    /// Plays a file with paplay until the process is ended.
    func play(_ url: URL, role: String = "music") throws -> Process {
        let player = Process()
        player.executableURL = URL(fileURLWithPath: "/usr/bin/paplay")
        player.arguments = ["--property=media.role=\(role)", url.path]
        player.environment = environment
        player.standardInput = FileHandle.nullDevice
        player.standardOutput = FileHandle.nullDevice
        player.standardError = FileHandle.nullDevice
        try player.run()
        return player
    }

    private func tool(_ path: String, _ arguments: String...) async throws -> (status: Int32, output: String)
    {
        try await tool(path, arguments)
    }

    private func tool(_ path: String, _ arguments: [String]) async throws -> (status: Int32, output: String) {
        let file = folder.appendingPathComponent("said-\(UUID().uuidString)")
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        let tool = Process()
        tool.executableURL = URL(fileURLWithPath: path)
        // A copy, because Process retains its arguments and the leak sanitizer suppresses that for this file only.
        tool.arguments = arguments.map { $0 }
        tool.environment = environment
        tool.standardInput = FileHandle.nullDevice
        tool.standardOutput = handle
        tool.standardError = FileHandle.nullDevice
        let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
        tool.terminationHandler = { _ in continuation.finish() }
        try tool.run()
        try handle.close()
        for await _ in ended {}
        // A wait that is cancelled ends early, and the status of a process that runs is a trap.
        if tool.isRunning {
            tool.terminate()
            throw CancellationError()
        }
        return (tool.terminationStatus, String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }
}

/// A recording of a null sink's monitor (48 kHz, one channel), reduced to the samples that are not silent.
final class Recording: Sendable {
    struct AudibleSample: Hashable, Sendable {
        /// The number of samples since the start of the recording.
        var position: Int
        var value: Float
    }

    private typealias Condition = @Sendable (Int, [AudibleSample]) -> Bool

    private struct State {
        var count = 0
        var audible: [AudibleSample] = []
        var waiters: [UUID: (condition: Condition, continuation: CheckedContinuation<Bool, Never>)] = [:]
        var isOver = false
        var remainder: [UInt8] = []
    }
    private let state = Locked(State())
    private let process: Process

    init(_ server: AudioServer, sink: String = "null") throws {
        process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/parec")
        process.arguments = [
            "--device=\(sink).monitor", "--format=float32le", "--channels=1", "--rate=48000",
            "--latency-msec=20",
            "--raw",
        ]
        process.environment = server.environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let state = state
        let handle = pipe.fileHandleForReading
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(handle.fileDescriptor, &buffer, buffer.count)
                if count <= 0 { break }
                Self.append(buffer[..<count], state)
            }
            let waiters = state.withLock { state in
                state.isOver = true
                defer { state.waiters = [:] }
                return state.waiters.values
            }
            for waiter in waiters { waiter.continuation.resume(returning: false) }
        }
    }

    deinit { process.terminate() }

    private static func append(_ bytes: ArraySlice<UInt8>, _ state: Locked<State>) {
        let fulfilled = state.withLock { state -> [CheckedContinuation<Bool, Never>] in
            let all = state.remainder + bytes
            all.withUnsafeBytes { raw in
                for offset in stride(from: 0, to: raw.count - 3, by: 4) {
                    let value = raw.loadUnaligned(fromByteOffset: offset, as: Float.self)
                    if abs(value) > 0.004 {
                        state.audible.append(AudibleSample(position: state.count, value: value))
                    }
                    state.count += 1
                }
            }
            state.remainder = Array(all.suffix(all.count % 4))
            let (count, audible) = (state.count, state.audible)
            let fulfilled = state.waiters.filter { $0.value.condition(count, audible) }
            for id in fulfilled.keys { state.waiters[id] = nil }
            return fulfilled.values.map(\.continuation)
        }
        for continuation in fulfilled { continuation.resume(returning: true) }
    }

    var audible: [AudibleSample] { state.withLock { $0.audible } }
    var count: Int { state.withLock { $0.count } }

    /// Waits until a condition on the number of samples, and on those that are not silent, is met. Returns false if the
    /// recording ends, or the test is cancelled by its time limit, before that.
    func wait(until condition: @escaping @Sendable (Int, [AudibleSample]) -> Bool) async -> Bool {
        let id = UUID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if condition(state.count, state.audible) { return true }
                    // A cancellation before this finds no waiter to resume.
                    if state.isOver || Task.isCancelled { return false }
                    state.waiters[id] = (condition, continuation)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.continuation.resume(returning: false)
        }
    }

    func stop() { process.terminate() }
}
