import Foundation
import Playhead
import TestSupport
import Testing

// Rule: gapless
// Rule: interstitials
/// The time without a picture between items: from the moment an item becomes current until its first frame is shown, unless
/// the frame of the previous item stays. On the virtual clock it is exact.
@Suite("No item begins without a picture", .enabled(if: Fixture.areThere))
struct PictureGapTests {
    /// A sink that records when it shows frames.
    private final class Screen: VideoSink {
        private let frames = Locked<[(host: HostTime, size: PixelSize)]>([])
        private let clock: VirtualClock

        init(_ clock: VirtualClock) { self.clock = clock }
        var shown: [(host: HostTime, size: PixelSize)] { frames.withLock { $0 } }
        func start(_ format: VideoFormat) {}
        func present(_ frame: VideoFrame) {
            let now = clock.now
            frames.withLock { $0.append((now, frame.format.size)) }
        }
        func finish() {}
    }

    private struct Events {
        var changes: [HostTime] = []
        var hidden: [HostTime] = []
        var failures = 0
        var end: HostTime?
    }

    /// Plays items, and returns the time without a picture at each change of the item, in nanoseconds.
    private func play(
        _ names: [String],
        _ during: @escaping @Sendable (QueuePlayer, PlayerEvent) -> Void = { _, _ in }
    ) async -> (gaps: [Int64], hidden: Int, failures: Int, sizes: Set<PixelSize>) {
        let clock = VirtualClock()
        let screen = Screen(clock)
        let player = QueuePlayer(items: [], configuration: .offline(clock: clock))
        let layer = PlayerLayer(player: player)
        layer.add(screen)
        let events = Locked(Events())
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let token = player.onEvent { timed in
            events.withLock { events in
                switch timed.event {
                case .currentItemChanged(.some): events.changes.append(timed.hostTime)
                case .currentItemChanged(nil): events.end = timed.hostTime
                case .readyForDisplayChanged(_, false): events.hidden.append(timed.hostTime)
                case .itemStatusChanged(_, .failed): events.failures += 1
                default: break
                }
            }
            during(player, timed.event)
            if case .currentItemChanged(nil) = timed.event { continuation.finish() }
        }
        clock.hold {
            player.rate = 1
            for name in names { player.insert(PlayerItem(url: Fixture.url(name)), after: nil) }
        }
        for await _ in stream {}
        await player.shutdown()
        return withExtendedLifetime(token) {
            let shown = screen.shown
            let all = events.withLock { $0 }
            let gaps = all.changes.compactMap { change -> Int64? in
                shown.first { $0.host >= change }.map { $0.host.nanoseconds - change.nanoseconds }
            }
            // The end of the last item hides its frame.
            let hidden = all.hidden.filter { $0 != all.end }.count
            return (gaps, hidden, all.failures, Set(shown.map(\.size)))
        }
    }

    @Test(
        "Items of different codecs, sizes, rates and pixel formats follow each other with 0 ns without a picture"
    )
    func queue() async {
        let names = [
            "clip-h264-aac.mp4", "odd-size-vp9.webm", "clip-hevc-aac.mp4", "vfr.mp4", "clip-av1-aac.mp4",
            "hdr10-hevc.mp4", "interlaced-mpeg2.ts", "video-only.mp4", "clip-vp9-opus.webm",
        ]
        let result = await play(names)
        #expect(result.gaps == Array(repeating: 0, count: names.count))
        #expect(result.hidden == 0)
        #expect(result.sizes.count == 2)
    }

    @Test("An item that cannot be opened is skipped without a gap, also in several in a row")
    func failures() async {
        let result = await play([
            "clip-h264-aac.mp4", "broken-text.mp4", "broken-empty.mp4", "clip-vp9-opus.webm",
        ])
        #expect(result.gaps == [0, 0])
        #expect(result.hidden == 0)
        #expect(result.failures == 2)
    }

    @Test("An interstitial of another codec begins and ends with 0 ns without a picture")
    func interstitial() async {
        let isDone = Locked(false)
        let result = await play(["clip-h264-aac.mp4", "clip-vp9-opus.webm"]) { player, event in
            guard case .didPlayToEndTime = event,
                !isDone.withLock({ done in
                    defer { done = true }
                    return done
                })
            else { return }
            // The second item is interrupted as soon as it has begun.
            player.playInterstitial(PlayerItem(url: Fixture.url("odd-size-vp9.webm")))
        }
        // Two items, the interstitial, and the return.
        #expect(result.gaps == [0, 0, 0, 0])
        #expect(result.hidden == 0)
    }

    @Test("An interstitial that cannot be opened leaves no gap")
    func failedInterstitial() async {
        let isDone = Locked(false)
        let result = await play(["clip-h264-aac.mp4", "clip-vp9-opus.webm"]) { player, event in
            guard case .didPlayToEndTime = event,
                !isDone.withLock({ done in
                    defer { done = true }
                    return done
                })
            else { return }
            player.playInterstitial(PlayerItem(url: Fixture.url("broken-text.mp4")))
        }
        #expect(result.gaps == [0, 0])
        #expect(result.hidden == 0)
        #expect(result.failures == 1)
    }
}
