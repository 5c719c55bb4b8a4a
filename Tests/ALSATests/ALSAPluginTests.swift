import Foundation
import MediaCore
import Playhead
import TestSupport
import Testing

enum ALSAInstallation {
    /// Whether the library and its configuration are installed.
    static let isComplete =
        FileManager.default.fileExists(atPath: "/usr/share/alsa/alsa.conf")
        && dlopen("libasound.so.2", RTLD_NOW) != nil
}

/// Tests through ALSA's plugins `file` and `null`, which are part of the library.
// Rule: device-clock, muted-device
@Suite(
    "ALSA plugins",
    .serialized,
    .timeLimit(.minutes(10)),
    .enabled(if: ALSAInstallation.isComplete, "libasound and its configuration are not installed")
)
struct ALSAPluginTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func makePlayer(_ url: URL?, device: String) -> Player {
        var configuration = Player.Configuration()
        configuration.audio = .sink(ALSASink(device: device))
        return Player(playerItem: url.map { PlayerItem(url: $0) }, configuration: configuration)
    }

    /// Writes a file whose samples are their numbers, so that a missing or repeated one is noticed.
    private func makeRamp(_ count: Int, channelCount: Int = 1) throws -> URL {
        let url = folder.url.appendingPathComponent("ramp.wav")
        let samples = (0..<count * channelCount).map { Int16(1 + $0 % 32_000) }
        try WaveFile.data(samples, channelCount: channelCount).write(to: url)
        return url
    }

    private var output: URL { folder.url.appendingPathComponent("out.raw") }
    private var fileDevice: String { "file:FILE=\(output.path)" }

    /// Waits until the device has been closed, which its own thread does, and returns the frames that are not silent,
    /// with samples as 16-bit integers.
    private func recorded(_ channelCount: Int) async throws -> [[Int]] {
        let descriptors = URL(fileURLWithPath: "/proc/self/fd")
        func isOpen() throws -> Bool {
            try FileManager.default.contentsOfDirectory(atPath: descriptors.path).contains { name in
                // The descriptor of this listing is closed already.
                let path = descriptors.appendingPathComponent(name).path
                return (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == output.path
            }
        }
        while try isOpen() {
            try Task.checkCancellation()
            await Task.yield()
        }
        let data = try Data(contentsOf: output)
        return data.withUnsafeBytes { bytes in
            stride(from: 0, to: data.count, by: 4 * channelCount).map { start in
                (0..<channelCount).map { channel in
                    let sample = bytes.loadUnaligned(fromByteOffset: start + 4 * channel, as: Float.self)
                    return Int((sample * 32_768).rounded())
                }
            }
        }
        .filter { $0.contains { $0 != 0 } }
    }

    private func waitForEnd(_ events: some AsyncSequence<PlayerEvent, Never> & Sendable) async {
        for await event in events {
            if case .didPlayToEndTime = event { return }
        }
    }

    private func waitForClock(_ player: Player) async throws {
        while !player.audioDeviceFacts.isClock {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test("A file holds each sample of the source once", arguments: [1, 2, 6])
    func exact(channelCount: Int) async throws {
        let url = try makeRamp(24_000, channelCount: channelCount)
        // ALSA's order of six channels has the surround channels before the center.
        let order = channelCount == 6 ? [0, 1, 4, 5, 2, 3] : Array(0..<channelCount)
        let source = (0..<24_000).map { frame in
            order.map { 1 + (frame * channelCount + $0) % 32_000 }
        }
        try await expectExact(url, source, count: source.count) { player in
            let events = player.events
            player.play()
            await waitForEnd(events)
        }
    }

    @Test("A pause and a loop lose and repeat no sample")
    func pausedAndLooped() async throws {
        let lap = (0..<19_200).map { [1 + $0] }
        // The device plays on until the player is paused and until it is shut down, so the number of passes depends on the
        // load of the machine.
        let passes = Array([[[Int]]](repeating: lap, count: 60).joined())
        try await expectExact(try makeRamp(19_200), passes, count: 2 * lap.count) { player in
            var events = player.events.makeAsyncIterator()
            player.repeatMode = .loop
            player.play()
            while player.currentTime() < MediaTime(value: 1, timescale: 5) {
                try Task.checkCancellation()
                await Task.yield()
            }
            player.pause()
            while let event = await events.next(isolation: #isolation) {
                if case .timeControlStatusChanged(.paused, _) = event { break }
            }
            player.play()
            var laps = 0
            while laps < 3, let event = await events.next(isolation: #isolation) {
                if case .didPlayToEndTime = event { laps += 1 }
            }
        }
    }

    /// Plays a file on ALSA's plugin `file`, and expects that what it wrote begins `source` with at least `count` frames.
    ///
    /// A busy machine causes gaps, where silence is heard and samples that are late are omitted. Therefore one of ten
    /// attempts must be exact, and in all of them the order must be right.
    private func expectExact(
        _ url: URL,
        _ source: [[Int]],
        count: Int,
        play: (Player) async throws -> Void
    ) async throws {
        for attempt in 1...10 {
            let player = makePlayer(url, device: fileDevice)
            try await play(player)
            let device = player.audioDeviceFacts.device
            await player.shutdown()
            #expect(device == fileDevice)
            let heard = try await recorded(source[0].count)
            let gaps = try Self.gaps(heard, in: source)
            if gaps == 0, heard.count >= count { return }
            #expect(attempt < 10, "\(gaps) gaps, \(heard.count) frames")
            try FileManager.default.removeItem(at: output)
        }
    }

    /// Returns the number of places where frames of `source` are missing.
    ///
    /// - Throws: An expectation, if a frame is heard twice, in another order, or altered.
    private static func gaps(_ heard: [[Int]], in source: [[Int]]) throws -> Int {
        var (gaps, next) = (0, 0)
        for frame in heard {
            let found = try #require(source[next...].firstIndex(of: frame), "\(frame) after \(next)")
            if found != next { gaps += 1 }
            next = found + 1
        }
        return gaps
    }

    @Test("The null device plays in real time and is the clock")
    func null() async throws {
        let url = try makeRamp(48_000)
        let player = makePlayer(url, device: "null")
        // The device is still the clock, however late it is examined.
        player.repeatMode = .loop
        let clock = ContinuousClock()
        let start = clock.now
        let events = player.events
        let end = Task { await waitForEnd(events) }
        player.play()
        try await waitForClock(player)
        await end.value
        #expect(clock.now - start >= .seconds(1))
        #expect(player.audioDeviceFacts.device == "null")
        await player.shutdown()
    }

    @Test("A muted player opens no device")
    func muted() async throws {
        // An item that is loaded before the player is muted may open the device.
        let player = makePlayer(nil, device: fileDevice)
        player.isMuted = true
        player.replaceCurrentItem(with: PlayerItem(url: try makeRamp(4800)))
        let events = player.events
        player.play()
        await waitForEnd(events)
        await player.shutdown()
        #expect(!FileManager.default.fileExists(atPath: output.path))
    }

    @Test("Without an audio server the automatic sink plays on ALSA's default device")
    func automatic() async throws {
        let configuration = folder.url.appendingPathComponent("asound.conf")
        try Data("</usr/share/alsa/alsa.conf>\npcm.!default { type null }\n".utf8).write(to: configuration)
        setenv("ALSA_CONFIG_PATH", configuration.path, 1)
        defer { unsetenv("ALSA_CONFIG_PATH") }
        let (notices, continuation) = AsyncStream.makeStream(of: AudioOutputNotice.self)
        let sink = AutomaticAudioSink(server: "unix:/nonexistent/playhead") { continuation.yield($0) }
        var player = Player.Configuration()
        player.audio = .sink(sink)
        let url = try makeRamp(48_000)
        let playing = Player(playerItem: PlayerItem(url: url), configuration: player)
        // The device is still the clock, however late it is examined.
        playing.repeatMode = .loop
        playing.play()
        var iterator = notices.makeAsyncIterator()
        #expect(await iterator.next() == .connected(device: "default"))
        try await waitForClock(playing)
        #expect(playing.audioDeviceFacts.device == "default")
        await playing.shutdown()
    }

    @Test("Without a server and a device the automatic sink delivers one notice with both reasons")
    func neither() async throws {
        let configuration = folder.url.appendingPathComponent("asound.conf")
        try Data("defaults.pcm.card 0\n".utf8).write(to: configuration)
        setenv("ALSA_CONFIG_PATH", configuration.path, 1)
        defer { unsetenv("ALSA_CONFIG_PATH") }
        let (notices, continuation) = AsyncStream.makeStream(of: AudioOutputNotice.self)
        let sink = AutomaticAudioSink(server: "unix:/nonexistent/playhead") { continuation.yield($0) }
        var player = Player.Configuration()
        player.audio = .sink(sink)
        let playing = Player(playerItem: PlayerItem(url: try makeRamp(24_000)), configuration: player)
        let events = playing.events
        playing.play()
        // Playback does not wait for the notice, and a finished sink delivers none.
        var iterator = notices.makeAsyncIterator()
        let first = await iterator.next()
        await waitForEnd(events)
        await playing.shutdown()
        continuation.finish()
        #expect(await iterator.next() == nil)
        guard case .unavailable(let reason)? = first else {
            Issue.record("\(String(describing: first))")
            return
        }
        #expect(reason.contains("; ALSA: default: No such file or directory"), "\(reason)")
    }
}
