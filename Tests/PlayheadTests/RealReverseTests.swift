import Foundation
import Playhead
import TestSupport
import Testing

/// The frames that a sink received: their time and a hash.
private final class Shown: Sendable {
    struct PresentedFrame: Hashable, Sendable {
        let time: MediaTime
        let hash: UInt64
    }
    private let state = Locked([PresentedFrame]())
    var frames: [PresentedFrame] { state.withLock { $0 } }

    func makeSink() -> CallbackVideoSink {
        CallbackVideoSink { [self] frame in
            // FNV-1a with 64 bits over every eighth byte, which detects different frames quickly.
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325
            frame.withPlanes { planes in
                for plane in planes {
                    for row in 0..<plane.rowCount {
                        let start = plane.baseAddress + row * plane.bytesPerRow
                        for column in stride(from: 0, to: plane.bytesUsedPerRow, by: 8) {
                            let byte = start.load(fromByteOffset: column, as: UInt8.self)
                            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
                        }
                    }
                }
            }
            let presented = PresentedFrame(time: frame.presentationTime, hash: hash)
            state.withLock { $0.append(presented) }
        }
    }
}

@Suite("Backward playback of real media", .enabled(if: Fixture.areThere))
struct RealReverseTests {
    private static let names = [
        "clip-h264-aac.mp4", "clip-hevc-aac.mp4", "clip-av1-aac.mp4", "clip-vp9-opus.webm",
        "clip-h264-aac.ts", "clip-fragmented.mp4", "clip-moov-at-end.mp4", "vfr.mp4", "video-only.mp4",
        "two-languages.mkv", "short-audio.mp4",
    ]

    @Test("Each frame is shown once, in reverse order and identical", arguments: names)
    func fixture(name: String) async throws {
        try await compare(Fixture.url(name))
    }

    private func compare(_ url: URL) async throws {
        let forward = await play(url, rate: 1)
        let backward = await play(url, rate: -1)
        #expect(!forward.isEmpty)
        #expect(backward == forward.reversed(), "\(url.lastPathComponent)")
    }

    /// All frames of a playback at `rate` on the virtual clock.
    private func play(_ url: URL, rate: Float) async -> [Shown.PresentedFrame] {
        let shown = Shown()
        var configuration = Player.Configuration()
        configuration.clock = .virtual
        configuration.audio = .none
        let player = Player(configuration: configuration)
        let layer = PlayerLayer(player: player)
        let events = player.events
        let item = PlayerItem(url: url)
        if rate < 0 {
            await item.seek(
                to: MediaTime(value: 100_000, timescale: 1),
                toleranceBefore: .zero,
                toleranceAfter: .zero
            )
        }
        layer.add(shown.makeSink())
        player.rate = rate
        player.replaceCurrentItem(with: item)
        for await event in events {
            if case .didPlayToEndTime = event { break }
            if case .failedToPlayToEndTime = event { break }
            if case .itemStatusChanged(_, .failed) = event { break }
        }
        await player.shutdown()
        return shown.frames
    }
}
