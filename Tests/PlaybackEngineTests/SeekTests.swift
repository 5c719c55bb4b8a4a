import MediaCore
import PlaybackEngine
import PlayheadTesting
import TestSupport
import Testing

// Rule: dropping
@Suite("Seeks in the pipeline")
struct SeekTests {
    @Test("An exact seek shows the frame that is due at its target", arguments: (0..<200).samples)
    func exact(sample: Int) {
        let bench = EngineTestBench(seed: UInt64(sample))
        bench.load(.clip())
        bench.driver.run(atMost: 1)
        var random = SplitMix64(UInt64(sample))
        let millisecond = Int64.random(in: 0..<2000, using: &random)
        bench.seek(1, to: .ms(millisecond))
        bench.driver.run(atMost: 1)
        #expect(bench.videoSink.numbers == [0, Int(millisecond / 40)], "to \(millisecond) ms")
        #expect(bench.lines("completed") == bench.lines("seek 1 completed true"))
        #expect(bench.loop.snapshot.itemTime(at: bench.driver.now) == .ms(millisecond))
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(bench.videoSink.numbers == [0] + Array(Int(millisecond / 40)..<50))
        let first = Int(millisecond) * 48
        #expect(bench.audioSink.samples == Array(PlaybackTests.allSamples[first...]))
    }

    @Test("A quick seek shows the key frame at or before its target, and audio starts with it")
    func quick() {
        let bench = EngineTestBench()
        bench.load(.clip())
        bench.driver.run(atMost: 1)
        bench.seek(1, to: .ms(1130), tolerance: .positiveInfinity)
        bench.driver.run(atMost: 1)
        #expect(bench.videoSink.numbers == [0, 20])
        #expect(bench.loop.snapshot.itemTime(at: bench.driver.now) == .ms(800))
        bench.loop.send(.setRate(1))
        bench.driver.run(atMost: 60)
        #expect(bench.audioSink.samples == Array(PlaybackTests.allSamples[38_400...]))
    }

    @Test("A container whose index points after the target is searched at an earlier position")
    func lateLanding() {
        let media = ScriptedMedia(
            video: .init(frameCount: 500, frameRate: 25, keyInterval: 25),
            faults: [.seeksLate(keyFrames: 2)]
        )
        for (target, frame) in [(4000, 100), (10_500, 262), (500, 12), (19_900, 497)] as [(Int64, Int)] {
            let bench = EngineTestBench()
            bench.load(media)
            bench.driver.run(atMost: 1)
            bench.seek(1, to: .ms(target))
            bench.driver.run(atMost: 1)
            #expect(bench.videoSink.numbers.last == frame, "to \(target) ms")
            #expect(bench.lines("seek 1 completed true").count == 1)
        }
    }
}
