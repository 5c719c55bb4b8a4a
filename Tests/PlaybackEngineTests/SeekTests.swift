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

    @Test("A seek with a tolerance shows a frame within it", arguments: [0, 40, 100, 300, 1000])
    func tolerance(before: Int64) {
        let bench = EngineTestBench()
        bench.load(.clip())
        bench.driver.run(atMost: 1)
        bench.seek(1, to: .ms(1130), tolerance: .ms(before))
        bench.driver.run(atMost: 1)
        let time = bench.loop.snapshot.itemTime(at: bench.driver.now)
        #expect(time >= .ms(1130 - before) && time <= .ms(1130))
    }

    @Test("Of many rapid seeks each completes once, the last one wins, and frames are shown meanwhile")
    func storm() {
        let bench = EngineTestBench(seed: 42)
        bench.load(.clip())
        bench.driver.run(atMost: 1)
        for number in 1...200 {
            bench.seek(UInt64(number), to: .ms(Int64(number * 9)))
            for _ in 0..<25 { bench.driver.step() }
        }
        bench.driver.run(atMost: 1)
        for number in 1...200 {
            #expect(bench.lines("seek \(number) completed").count == 1)
        }
        #expect(bench.lines("seek 200 completed true").count == 1)
        #expect(bench.videoSink.numbers.last == 45)
        #expect(bench.videoSink.numbers.count > 10)
    }

    @Test("A seek before the item is open sets its start, and no other frame is shown")
    func beforeOpen() {
        let bench = EngineTestBench()
        bench.load(.clip())
        bench.seek(1, to: .ms(1000))
        bench.driver.run(atMost: 1)
        #expect(bench.videoSink.numbers == [25])
        #expect(bench.lines("seek 1 completed true").count == 1)
    }

    @Test("A target out of range is clamped, and an invalid or indefinite one is rejected")
    func oddTargets() {
        let bench = EngineTestBench()
        bench.load(.clip())
        bench.driver.run(atMost: 1)
        bench.seek(1, to: .ms(-500))
        bench.driver.run(atMost: 1)
        bench.seek(2, to: .ms(99_000))
        bench.driver.run(atMost: 1)
        bench.seek(3, to: .positiveInfinity)
        bench.driver.run(atMost: 1)
        bench.seek(4, to: .invalid)
        bench.seek(5, to: .indefinite)
        bench.driver.run(atMost: 1)
        #expect(bench.videoSink.numbers == [0, 0, 49, 49])
        #expect(bench.lines("completed true").count == 3)
        #expect(bench.lines("completed false").count == 2)
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

    @Test("A seek during playback continues playing from its target")
    func whilePlaying() {
        let bench = EngineTestBench()
        bench.load(.clip())
        bench.loop.send(.setRate(1))
        bench.driver.run(seconds: 0.3)
        bench.seek(1, to: .ms(1500))
        #expect(bench.driver.run(atMost: 60))
        #expect(bench.videoSink.numbers == Array(0...7) + Array(37..<50))
        #expect(bench.driver.now == HostTime(nanoseconds: 800_000_000))
    }
}
