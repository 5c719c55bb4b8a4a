import Foundation
import MediaCore
import Playhead
import Testing

/// Only where PulseAudio and its tools are installed, as they are in continuous integration.
@Suite(
    "A real sound server",
    .serialized,
    .enabled(if: SoundServer.isInstalled, "pulseaudio, parec and pactl are not installed")
)
struct PulseTests {
    /// A click of one sample each half second, the n-th so much as n tells: 0.1, 0.2 ... 0.9, 0.1 ...
    private static func click(_ number: Int) -> Float { Float(number % 9 + 1) / 10 }
    private static let between = 24_000

    private static func makeClicks(seconds: Int) throws -> URL {
        var samples = [Int16](repeating: 0, count: seconds * 48_000)
        for number in 0..<seconds * 2 { samples[number * between] = Int16(click(number) * 32_768) }
        return try Wave.write(samples)
    }

    private func makePlayer(
        _ url: URL,
        _ server: SoundServer,
        device: String? = nil,
        onNotice: @escaping @Sendable (PulseAudioSink.Notice) -> Void = { _ in }
    ) -> Player {
        var configuration = Player.Configuration()
        configuration.audio = .sink(
            PulseAudioSink(
                device: device,
                title: "clicks",
                applicationName: "Playhead's tests",
                server: server.address,
                onNotice: onNotice
            )
        )
        return Player(playerItem: PlayerItem(url: url), configuration: configuration)
    }

    @Test("Each click once, in its place, from the first sample to the last; the mixer shows who plays what")
    func heard() async throws {
        let server = try SoundServer()
        try await server.start()
        let url = try Self.makeClicks(seconds: 3)
        defer { Wave.remove(url) }
        let recording = try Recording(server)
        #expect(await recording.wait { count, _ in count > 0 })
        let player = makePlayer(url, server)
        player.play()
        #expect(await recording.wait { $1.count >= 3 })
        let inputs = try await server.control("list", "sink-inputs")
        #expect(inputs.contains("application.name = \"Playhead's tests\""))
        #expect(inputs.contains("media.name = \"\(url.lastPathComponent)\""))
        #expect(await recording.wait { $1.count >= 6 })
        let facts = player.audioDeviceFacts
        await player.shutdown()
        let clicks = recording.loud
        #expect(clicks.count == 6)
        for (number, click) in clicks.enumerated() {
            #expect(abs(click.value - Self.click(number)) < 0.001)
            #expect(click.place - clicks[0].place == number * Self.between)
        }
        #expect(facts.device == "null")
        #expect(facts.isClock)
        #expect(player.counters.audioUnderruns == 0)
    }
}

/// A file of 16 bit samples at 48 kHz, one channel.
enum Wave {
    static func write(_ samples: [Int16]) throws -> URL {
        var data = Data("RIFF".utf8)
        func append(_ value: UInt32) {
            withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
        }
        append(UInt32(36 + samples.count * 2))
        data.append(Data("WAVEfmt ".utf8))
        append(16)
        append(1 | 1 << 16)
        append(48_000)
        append(96_000)
        append(2 | 16 << 16)
        data.append(Data("data".utf8))
        append(UInt32(samples.count * 2))
        for sample in samples { withUnsafeBytes(of: sample.littleEndian) { data.append(contentsOf: $0) } }
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(
            "playhead-\(UUID().uuidString).wav"
        )
        try data.write(to: url)
        return url
    }

    static func remove(_ url: URL) {
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            print("left behind: \(url.path)")
        }
    }
}
