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
    .timeLimit(.minutes(2)),
    .enabled(if: ALSAInstallation.isComplete, "libasound and its configuration are not installed")
)
struct ALSAPluginTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func makePlayer(_ url: URL, device: String) -> Player {
        var configuration = Player.Configuration()
        configuration.audio = .sink(ALSASink(device: device))
        return Player(playerItem: PlayerItem(url: url), configuration: configuration)
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

    /// Waits until the file holds `count` samples, and returns them as 16-bit integers.
    private func recorded(_ count: Int) async throws -> [Int] {
        while true {
            // The device is closed on its own thread.
            if FileManager.default.fileExists(atPath: output.path) {
                let data = try Data(contentsOf: output)
                if data.count >= count * 4 {
                    return data.withUnsafeBytes { bytes in
                        stride(from: 0, to: data.count - 3, by: 4).map {
                            Int((bytes.loadUnaligned(fromByteOffset: $0, as: Float.self) * 32_768).rounded())
                        }
                    }
                }
            }
            await Task.yield()
        }
    }

    private func waitForEnd(_ player: Player) async {
        for await event in player.events {
            if case .didPlayToEndTime = event { return }
        }
    }

    @Test("A file holds each sample of the source once", arguments: [1, 2, 6])
    func exact(channelCount: Int) async throws {
        let url = try makeRamp(24_000, channelCount: channelCount)
        let player = makePlayer(url, device: fileDevice)
        player.play()
        await waitForEnd(player)
        let (device, underruns) = (player.audioDeviceFacts.device, player.counters.audioUnderruns)
        await player.shutdown()
        #expect(device == fileDevice)
        let samples = try await recorded(24_000 * channelCount)
        // ALSA's order of six channels has the surround channels before the center.
        let order = channelCount == 6 ? [0, 1, 4, 5, 2, 3] : Array(0..<channelCount)
        let expected = (0..<24_000).flatMap { frame in
            order.map { 1 + (frame * channelCount + $0) % 32_000 }
        }
        // A busy machine causes gaps, which are counted as underruns.
        guard underruns == 0 else { return }
        #expect(Array(samples.drop { $0 == 0 }.prefix(expected.count)) == expected)
    }

    @Test("The null device plays in real time and is the clock")
    func null() async throws {
        let url = try makeRamp(48_000)
        let player = makePlayer(url, device: "null")
        let clock = ContinuousClock()
        let start = clock.now
        let end = Task { await waitForEnd(player) }
        player.play()
        while !player.audioDeviceFacts.isClock { await Task.yield() }
        await end.value
        #expect(clock.now - start >= .seconds(1))
        #expect(player.audioDeviceFacts.device == "null")
        await player.shutdown()
    }

    @Test("A muted player opens no device")
    func muted() async throws {
        let url = try makeRamp(4800)
        let player = makePlayer(url, device: fileDevice)
        player.isMuted = true
        player.play()
        await waitForEnd(player)
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
        playing.play()
        var iterator = notices.makeAsyncIterator()
        #expect(await iterator.next() == .connected(device: "default"))
        while !playing.audioDeviceFacts.isClock { await Task.yield() }
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
        playing.play()
        await waitForEnd(playing)
        await playing.shutdown()
        continuation.finish()
        var all: [AudioOutputNotice] = []
        for await notice in notices { all.append(notice) }
        #expect(all.count == 1)
        guard case .unavailable(let reason)? = all.first else {
            Issue.record("\(all)")
            return
        }
        #expect(reason.contains("; ALSA: default: No such file or directory"), "\(reason)")
    }
}
