import MediaCore
import PlayheadTesting
import Testing

@testable import PlaybackEngine

// Rule: kept-frames
/// Short seeks backward while paused.
@Suite("A short seek backward is answered from the cache")
struct StepBackTests {
    /// A clip without audio, with a key frame every two seconds and two non-reference frames between reference
    /// frames.
    private static func clip(delay: Int = 0) -> ScriptedMedia {
        var video = ScriptedMedia.Video(frameCount: 250, frameRate: 25, keyInterval: 50, bFrames: 2)
        video.delay = delay
        return ScriptedMedia(video: video)
    }

    private func load(_ media: ScriptedMedia, bytes: Int = 16 << 20, seed: UInt64? = nil) -> EngineTestBench {
        let bench = EngineTestBench(seed: seed)
        bench.load(media) { $0.frameCache = FrameCache(byteLimit: bytes) }
        bench.driver.run(atMost: 1)
        return bench
    }

    private func seek(_ bench: EngineTestBench, _ id: Int, toFrame frame: Int) {
        bench.seek(UInt64(id), to: .ms(Int64(frame) * 40))
        bench.driver.run(atMost: 1)
        #expect(bench.videoSink.numbers.last == frame)
    }

    @Test("The frame before a seek's target needs no decoding", arguments: [0, 1, 4, 8])
    func afterSeek(delay: Int) {
        let bench = load(Self.clip(delay: delay))
        seek(bench, 1, toFrame: 88)
        let decoded = bench.backend.counts.decoded
        seek(bench, 2, toFrame: 87)
        seek(bench, 3, toFrame: 88)
        #expect(bench.backend.counts.decoded == decoded)
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == [0, 88, 87] + Array(88..<250))
    }

    @Test(
        "Many steps backward decode the group of pictures once more, and then not again",
        arguments: [0, 1, 4, 8]
    )
    func manySteps(delay: Int) {
        let bench = load(Self.clip(delay: delay))
        seek(bench, 1, toFrame: 95)
        let decoded = bench.backend.counts.decoded
        for step in 1...40 { seek(bench, 1 + step, toFrame: 95 - step) }
        #expect(bench.backend.counts.decoded - decoded <= 50 + 12)
        let all = bench.backend.counts.decoded
        // Forward and backward within the decoded range.
        for frame in [55, 70, 60, 80, 75, 74] { seek(bench, 100 + frame, toFrame: frame) }
        #expect(bench.backend.counts.decoded == all)
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers.suffix(176).elementsEqual(74..<250))
    }

    @Test("Steps between two groups of pictures need little decoding")
    func groups() {
        let bench = load(Self.clip())
        for (id, frame) in [108, 103, 101, 100, 99, 98, 97, 96, 98, 100, 102].enumerated() {
            seek(bench, id, toFrame: frame)
        }
        let decoded = bench.backend.counts.decoded
        for (id, frame) in [98, 97, 101, 102, 99].enumerated() { seek(bench, 50 + id, toFrame: frame) }
        // A few frames after the cached ones are decoded, for playback.
        #expect(bench.backend.counts.decoded < decoded + 20)
    }

    @Test(
        "With even strides backward, each group is decoded once before its frames are shown",
        arguments: [0, 1, 4, 8]
    )
    func strides(delay: Int) {
        let bench = load(Self.clip(delay: delay))
        // The groups of pictures begin at 0, 50, 100, 150 and 200.
        var decoded: [Int: Int] = [:]
        for (id, frame) in stride(from: 230, through: 2, by: -12).enumerated() {
            let before = bench.backend.counts.decoded
            bench.seek(UInt64(id), to: .ms(Int64(frame) * 40))
            while bench.videoSink.numbers.last != frame, bench.driver.step() {}
            #expect(bench.videoSink.numbers.last == frame)
            decoded[frame] = bench.backend.counts.decoded - before
            // The frames after it are decoded, so that playback can start.
            bench.driver.run(atMost: 1)
        }
        for frame in [182, 170, 158, 134, 122, 110, 86, 74, 62, 50, 26, 14, 2] {
            #expect(decoded[frame] == 0, "frame \(frame)")
        }
        bench.seek(100, to: .ms(14 * 40))
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers.suffix(236).elementsEqual(14..<250))
    }

    @Test("Playback starts at a frame that was cached for an even stride", arguments: [0, 1, 4, 8])
    func playsFromStride(delay: Int) {
        let bench = load(Self.clip(delay: delay))
        for (id, frame) in [199, 187, 175, 163].enumerated() { seek(bench, id, toFrame: frame) }
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == [0, 199, 187, 175] + Array(163..<250))
    }

    @Test("When playback has continued, nothing of the seek is kept")
    func playedOn() {
        let cache = FrameCache(byteLimit: 16 << 20)
        let bench = EngineTestBench()
        bench.load(Self.clip()) { $0.frameCache = cache }
        bench.driver.run(atMost: 1)
        seek(bench, 1, toFrame: 88)
        #expect(cache.byteCount > 0)
        bench.loop.send(.setRate(1))
        bench.driver.run(seconds: 3)
        #expect(cache.byteCount == 0)
    }

    @Test("Without the cache, each seek backward decodes")
    func switchedOff() {
        let bench = load(Self.clip(), bytes: 0)
        seek(bench, 1, toFrame: 88)
        let decoded = bench.backend.counts.decoded
        seek(bench, 2, toFrame: 87)
        #expect(bench.backend.counts.decoded > decoded + 30)
    }

    @Test("Any sequence of seeks, steps and playback shows the frames that are due", arguments: 1...20)
    func random(sample: Int) {
        var random = SplitMix64(UInt64(sample))
        let bytes = [4_000, 20_000, 60_000, 16 << 20][sample % 4]
        let bench = load(Self.clip(delay: sample % 5), bytes: bytes, seed: UInt64(sample))
        var frame = 0
        for number in 1...30 {
            let choice = Int.random(in: 0..<10, using: &random)
            switch choice {
            case 0: frame = Int.random(in: 0..<250, using: &random)
            case 1...3: frame = max(0, frame - Int.random(in: 0...12, using: &random))
            case 4...5: frame = max(0, frame - 12)
            case 6: frame = min(249, frame + Int.random(in: 0...30, using: &random))
            case 7...8:
                let count = Int.random(in: -6...6, using: &random)
                guard count != 0 else { continue }
                bench.loop.send(.step(count))
                bench.driver.run(atMost: 1)
                frame = min(249, max(0, frame + count))
                #expect(bench.videoSink.numbers.last == frame, "sample \(sample), step \(number) by \(count)")
                continue
            default:
                bench.loop.send(.setRate(1))
                bench.driver.run(seconds: 0.4)
                bench.loop.send(.setRate(0))
                bench.driver.run(seconds: 0.1)
                let shown = bench.videoSink.numbers.suffix(5)
                #expect(zip(shown, shown.dropFirst()).allSatisfy { $1 == $0 + 1 } || frame > 230)
                frame = bench.videoSink.numbers.last ?? 0
                continue
            }
            // Some seeks are interrupted by the next one.
            bench.seek(UInt64(number), to: .ms(Int64(frame) * 40))
            if Int.random(in: 0..<4, using: &random) == 0 {
                for _ in 0..<Int.random(in: 1..<80, using: &random) { bench.driver.step() }
                bench.seek(UInt64(number + 100), to: .ms(Int64(frame) * 40))
            }
            bench.driver.run(atMost: 1)
            #expect(bench.videoSink.numbers.last == frame, "sample \(sample), seek \(number) to \(frame)")
        }
        bench.seek(1000, to: .ms(Int64(frame) * 40))
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers.suffix(250 - frame).elementsEqual(frame..<250))
    }
}
