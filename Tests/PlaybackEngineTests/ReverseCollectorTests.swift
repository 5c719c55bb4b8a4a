import MediaCore
import PlayheadBackend
import PlayheadTesting
import Testing

@testable import PlaybackEngine

@Suite("Reverse collector: a group of pictures that exceeds its memory")
struct ReverseCollectorTests {
    @Test(
        "The newest frames that fit are collected, and the next part ends where they begin",
        arguments: 1...7,
        [false, true]
    )
    func parts(fitting: Int, isDecodedAhead: Bool) throws {
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
        let cache = FrameCache()
        let share = cache.makeShare()
        while rounds < 20 {
            var collector = ReverseCollector(segment, byteLimit: size * fitting)
            if isDecodedAhead { collector.keep(in: share) }
            #expect(collector.isKept == isDecodedAhead)
            for frame in frames.prefix(10) { collector.append(frame) }
            let (part, next) = collector.finish(reverseEnd: .zero)
            #expect(part.count <= fitting)
            #expect(cache.byteCount == 0)
            shown += part.map(\.presentationTime)
            rounds += 1
            guard let next else { break }
            segment = next
        }
        #expect(shown == frames.prefix(10).map(\.presentationTime).reversed())
        #expect(rounds == (10 + fitting - 1) / fitting)
    }
}

extension ReverseCollectorTests {
    @Test(
        "If frames that were decoded ahead are missing, the frames after them are shown, and the others are collected again"
    )
    func evicted() throws {
        let bench = EngineTestBench()
        bench.load(.clip())
        let kept = KeepingSink()
        bench.layer.add(kept)
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        let frames = kept.frames.prefix(10)
        let first = try #require(frames.first)
        for fitting in 0...10 {
            let cache = FrameCache()
            let share = cache.makeShare()
            let segment = ReverseSegment(EpochStart(epoch: Epoch(), firstWanted: .ms(360), isReverse: true))
            var collector = ReverseCollector(segment)
            collector.keep(in: share)
            for frame in frames { collector.append(frame) }
            // The frames farthest from the limit of the segment are evicted.
            cache.byteLimit = fitting * DecoderOutput.video(first).byteCount
            let (part, next) = collector.finish(reverseEnd: .zero)
            #expect(part.map(\.presentationTime) == frames.suffix(fitting).reversed().map(\.presentationTime))
            #expect(cache.byteCount == 0)
            guard fitting < 10 else {
                #expect(next == nil)
                continue
            }
            #expect(next?.number == 1)
            #expect(next?.limit == (fitting == 0 ? .ms(360) : frames[10 - fitting].presentationTime))
            #expect(next?.includesLimit == (fitting == 0))
        }
        // Two frames with the same time cannot be distinguished, so the segment is collected again.
        let share = FrameCache().makeShare()
        let segment = ReverseSegment(EpochStart(epoch: Epoch(), firstWanted: .ms(360), isReverse: true))
        var collector = ReverseCollector(segment)
        collector.keep(in: share)
        for frame in [first, first] { collector.append(frame) }
        #expect(collector.finish(reverseEnd: .zero).frames.isEmpty)
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
