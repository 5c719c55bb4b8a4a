import Foundation
import MediaCore
import Playhead
import TestSupport
import Testing

/// Sinks that each play the same constant value, so the sum that is heard equals the number of playing sinks times it.
final class SinkGroup: Sendable {
    static let value: Float = 1 / 64
    private static let format = AudioFormat(sampleRate: 48_000, channelLayout: .mono, sampleFormat: .float)

    let sinks: [PulseAudioSink]
    private let received: Locked<[[PulseAudioSink.Notice]]>
    /// Yields when a notice has arrived.
    private let changes: AsyncStream<Void>

    /// Creates sinks without preparing or starting them. The application names are assigned to the sinks in turn.
    init(_ count: Int, _ server: AudioServer, names: [String]) {
        let received = Locked([[PulseAudioSink.Notice]](repeating: [], count: count))
        let (changes, continuation) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        sinks = (0..<count).map { index in
            PulseAudioSink(
                title: "voice \(index)",
                applicationName: names[index % names.count],
                server: server.address
            ) { notice in
                received.withLock { $0[index].append(notice) }
                continuation.yield()
            }
        }
        self.received = received
        self.changes = changes
    }

    deinit { finish() }

    /// The notices that each sink has delivered so far.
    var notices: [[PulseAudioSink.Notice]] { received.withLock { $0 } }

    /// Waits until the notices meet a condition. Only one call may wait at a time.
    func wait(until condition: ([[PulseAudioSink.Notice]]) -> Bool) async {
        var iterator = changes.makeAsyncIterator()
        while !condition(notices) { await iterator.next() }
    }

    /// Waits until the newest notice of each sink is of this kind.
    func waitForAll(connected: Bool) async {
        await wait { notices in
            notices.allSatisfy { notices in
                switch notices.last {
                case .connected: connected
                case .unavailable: !connected
                default: false
                }
            }
        }
    }

    func start() throws {
        for sink in sinks {
            _ = try sink.start(Self.format)
            sink.setPaused(false)
        }
        try fill()
    }

    /// Writes as many samples as the sinks accept: at most two seconds.
    func fill() throws {
        for sink in sinks where sink.writableFrameCount > 0 {
            let buffer = AudioBuffer(
                floatChannels: [[Float](repeating: Self.value, count: sink.writableFrameCount)],
                format: Self.format,
                presentationTime: .zero
            )
            try sink.write(buffer)
        }
    }

    /// Writes samples until `count` sinks are heard. Returns false if the recording has ended.
    func plays(_ count: Int, _ recording: Recording) async throws -> Bool {
        try await plays(recording) { audible in
            audible.last.map { abs($0.value - Float(count) * Self.value) < Self.value / 4 } ?? false
        }
    }

    /// Writes samples until the recording meets a condition. Returns false if it has ended.
    func plays(
        _ recording: Recording,
        until condition: @escaping @Sendable ([Recording.AudibleSample]) -> Bool
    ) async throws -> Bool {
        while true {
            try fill()
            let next = recording.count + 9600
            guard await recording.wait(until: { count, audible in count >= next || condition(audible) })
            else {
                return false
            }
            if condition(recording.audible) { return true }
        }
    }

    func finish() {
        for sink in sinks { sink.finish() }
    }
}

extension AudioServer {
    /// Returns the number of the server's clients with this application name.
    func clients(_ name: String) async throws -> Int {
        try await control("list", "clients").components(separatedBy: "application.name = \"\(name)\"").count
            - 1
    }

    func streams() async throws -> Int {
        try await control("list", "short", "sink-inputs").split(separator: "\n").count
    }
}

/// All available file descriptors of this process, until they are released.
final class ExhaustedDescriptors {
    private var descriptors: [Int32] = []
    private var limit = rlimit()

    init() throws {
        try #require(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        // The limit may be a million.
        var few = limit
        few.rlim_cur = min(limit.rlim_cur, 256)
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &few) == 0)
        while case let descriptor = dup(0), descriptor >= 0 { descriptors.append(descriptor) }
        try #require(errno == EMFILE)
    }

    deinit { release() }

    func release() {
        for descriptor in descriptors { close(descriptor) }
        descriptors = []
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

/// The resources of this process that are used for audio servers.
enum OwnProcess {
    /// Returns the number of threads of libpulse's main loops.
    static func audioThreads() throws -> Int {
        try OwnThreads.count { $0 == "playhead.pulse" }
    }

    /// Returns the number of timer descriptors. Each sink and each connection has one.
    static func timers() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { descriptor in
            var name = [CChar](repeating: 0, count: 64)
            // A descriptor that has just been closed has no link.
            let length = readlink("/proc/self/fd/\(descriptor)", &name, name.count - 1)
            let bytes = name.prefix(max(0, length)).map { UInt8(bitPattern: $0) }
            return bytes == Array("anon_inode:[timerfd]".utf8)
        }
    }

    /// Waits until the thread of a main loop is running. It takes its name when it begins to run, and the loss of the
    /// server can be reported earlier.
    static func waitForAudioThread() async throws {
        while try audioThreads() == 0 { await Task.yield() }
    }

    /// Waits until the connection of the last finished sink is closed.
    static func waitUntilDisconnected() async throws {
        while try audioThreads() > 0 { await Task.yield() }
    }
}
