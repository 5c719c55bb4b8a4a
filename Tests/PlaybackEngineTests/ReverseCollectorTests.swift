import MediaCore
import PlayheadTesting
import Testing

@testable import PlaybackEngine

@Suite("Reverse collector: a group of pictures that exceeds its memory")
struct ReverseCollectorTests {
    @Test(
        "The newest frames that fit are collected, and the next part ends where they begin",
        arguments: 1...7
    )
    func parts(fitting: Int) throws {
        let bench = EngineTestBench()
        bench.load(.clip())
        bench.loop.send(.setRate(1))
        let kept = KeepingSink()
        bench.layer.add(kept)
        bench.driver.run(atMost: 60)
        let frames = kept.frames
        let size = try #require(frames.first?.storage.byteCount)
        // A group of ten frames, which is decoded again for each of its parts.
        var segment = ReverseSegment(EpochStart(epoch: Epoch(), firstWanted: .ms(360), isReverse: true))
        var shown: [MediaTime] = []
        var rounds = 0
        while rounds < 20 {
            var collector = ReverseCollector(segment, byteLimit: size * fitting)
            for frame in frames.prefix(10) { collector.append(frame) }
            let (part, next) = collector.finish(reverseEnd: .zero)
            #expect(part.count <= fitting)
            shown += part.map(\.presentationTime)
            rounds += 1
            guard let next else { break }
            segment = next
        }
        #expect(shown == frames.prefix(10).map(\.presentationTime).reversed())
        #expect(rounds == (10 + fitting - 1) / fitting)
    }
}

/// A sink that keeps every frame.
private final class KeepingSink: VideoSink {
    private let state = Locked([VideoFrame]())
    var frames: [VideoFrame] { state.withLock { $0 } }
    func start(_ format: VideoFormat) throws {}
    func present(_ frame: VideoFrame) throws { state.withLock { $0.append(frame) } }
    func finish() {}
}
