import Foundation
import MediaCore
import Playhead
import TestSupport
import Testing

/// Sinks that play one value each: the sum of what is heard tells how many of them sound.
final class Chorus: Sendable {
    static let value: Float = 1 / 64
    private static let format = AudioFormat(sampleRate: 48_000, channelLayout: .mono, sampleFormat: .float)

    let sinks: [PulseAudioSink]
    private let heard: Locked<[[PulseAudioSink.Notice]]>
    /// A notice has come since the last time.
    private let news: AsyncStream<Void>

    /// Made, and neither prepared nor started. `names`: application names, which the sinks take in turn.
    init(_ count: Int, _ server: SoundServer, names: [String]) {
        let heard = Locked([[PulseAudioSink.Notice]](repeating: [], count: count))
        let (news, tell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        sinks = (0..<count).map { index in
            PulseAudioSink(
                title: "voice \(index)",
                applicationName: names[index % names.count],
                server: server.address
            ) { notice in
                heard.withLock { $0[index].append(notice) }
                tell.yield()
            }
        }
        self.heard = heard
        self.news = news
    }

    deinit { finish() }

    /// What each has been told so far.
    var told: [[PulseAudioSink.Notice]] { heard.withLock { $0 } }

    /// Until what they have been told is so. One waits at a time.
    func wait(until isSo: ([[PulseAudioSink.Notice]]) -> Bool) async {
        var changes = news.makeAsyncIterator()
        while !isSo(told) { await changes.next() }
    }

    /// Until the newest notice of each is of this kind.
    func waitForAll(connected: Bool) async {
        await wait { told in
            told.allSatisfy { notices in
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

    /// As much as they take: two seconds at most.
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

    /// Goes on until so many of them are heard. False: the recording has ended.
    func plays(_ count: Int, _ recording: Recording) async throws -> Bool {
        try await plays(recording) { loud in
            loud.last.map { abs($0.value - Float(count) * Self.value) < Self.value / 4 } ?? false
        }
    }

    /// Goes on until what is recorded is so.
    func plays(
        _ recording: Recording,
        until isSo: @escaping @Sendable ([Recording.Loud]) -> Bool
    ) async throws -> Bool {
        while true {
            try fill()
            let next = recording.count + 9600
            guard await recording.wait(until: { count, loud in count >= next || isSo(loud) }) else {
                return false
            }
            if isSo(recording.loud) { return true }
        }
    }

    func finish() {
        for sink in sinks { sink.finish() }
    }
}

extension SoundServer {
    /// How many connections with this application name the server has.
    func clients(_ name: String) async throws -> Int {
        try await control("list", "clients").components(separatedBy: "application.name = \"\(name)\"").count
            - 1
    }

    func streams() async throws -> Int {
        try await control("list", "short", "sink-inputs").split(separator: "\n").count
    }
}

/// All file descriptors that this process may have, until they are given back.
final class ExhaustedDescriptors {
    private var taken: [Int32] = []
    private var limit = rlimit()

    init() throws {
        try #require(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        // There may be a million.
        var few = limit
        few.rlim_cur = min(limit.rlim_cur, 256)
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &few) == 0)
        while case let descriptor = dup(0), descriptor >= 0 { taken.append(descriptor) }
        try #require(errno == EMFILE)
    }

    deinit { release() }

    func release() {
        for descriptor in taken { close(descriptor) }
        taken = []
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

/// What this process has to do with sound servers.
enum OwnProcess {
    /// Threads of libpulse's main loops.
    static func audioThreads() throws -> Int {
        try OwnThreads.count { $0 == "playhead.pulse" }
    }

    /// Descriptors of timers: each sink has one, and each connection.
    static func timers() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { descriptor in
            var name = [CChar](repeating: 0, count: 64)
            // One that has just been closed leads nowhere.
            let length = readlink("/proc/self/fd/\(descriptor)", &name, name.count - 1)
            let bytes = name.prefix(max(0, length)).map { UInt8(bitPattern: $0) }
            return bytes == Array("anon_inode:[timerfd]".utf8)
        }
    }

    /// The last sink has been finished: its connection is closed soon.
    static func waitUntilDisconnected() async throws {
        while try audioThreads() > 0 { await Task.yield() }
    }
}
