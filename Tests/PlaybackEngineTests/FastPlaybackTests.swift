import MediaCore
import PlaybackEngine
import PlayheadTesting
import Testing

// Rule: dropping
/// Decoding takes time, so that a decoder can be too slow.
@Suite("Rates that the machine cannot sustain")
struct FastPlaybackTests {
    /// 40 s of video. Decoding a frame takes 5 ms, which allows 200 frames per second.
    private static let clip: ScriptedMedia = {
        var media = ScriptedMedia(video: .init(frameCount: 1000, frameRate: 25, keyInterval: 10, bFrames: 2))
        media.decodingTime = 5_000_000
        return media
    }()

    private func play(_ rate: Float, isRealTime: Bool = true, media: ScriptedMedia = clip) -> EngineTestBench
    {
        let bench = EngineTestBench(isRealTime: isRealTime)
        bench.load(media)
        bench.driver.settle()
        if rate < 0 {
            bench.seek(1, to: .positiveInfinity)
            bench.driver.settle()
        }
        bench.loop.send(.setRate(rate))
        bench.driver.run(atMost: 600)
        return bench
    }

    @Test("At a rate that the decoder sustains, every frame is shown: 4 times 25 frames per second of 200")
    func sustained() {
        let bench = play(4)
        #expect(bench.videoSink.numbers == Array(0..<1000))
        #expect(bench.loop.snapshot.counters.framesDropped == 0)
    }

    @Test("At a higher rate, non-reference frames are skipped, then all but key frames, and counted")
    func beyond() {
        let bench = play(32)
        let counters = bench.loop.snapshot.counters
        let numbers = bench.videoSink.numbers
        #expect(numbers == numbers.sorted())
        // It takes half a second to detect the overload. From there on, 80 key frames per second are shown, at
        // most half a group of pictures late.
        #expect(numbers.suffix(40).allSatisfy { $0 % 10 == 0 })
        #expect(numbers.count >= 80)
        #expect(counters.framesDropped + counters.framesPresented == 1000)
        #expect(bench.lines("playedToEnd at 40.000000").count == 1)
        let seconds = Double(bench.driver.now.nanoseconds) / 1e9
        #expect(seconds < 40.0 / 32 + 0.5)
    }

    @Test("At rate 10, skipping non-reference frames suffices")
    func nonReference() {
        let bench = play(10)
        let isAnchor = { (number: Int) in number % 10 == 0 || number % 10 % 3 == 0 }
        // After the overload has been detected, and before all frames are tried again, which is after two
        // seconds on time.
        let settled = bench.videoSink.numbers.filter { (300..<700).contains($0) }
        #expect(settled.allSatisfy(isAnchor))
        #expect(settled.count > 100)
        let counters = bench.loop.snapshot.counters
        #expect(counters.framesDropped + counters.framesPresented == 1000)
    }

    @Test("In reverse, frames that have been passed are not decoded, and the start is reached in time")
    func backward() {
        let bench = play(-32)
        let numbers = Array(bench.videoSink.numbers.dropFirst(2))
        #expect(numbers == numbers.sorted(by: >))
        #expect(bench.lines("playedToEnd at 0.000000").count == 1)
        let seconds = Double(bench.driver.now.nanoseconds) / 1e9
        // 40 seconds at a rate of 32 take 1.25 seconds.
        #expect(seconds < 2.25)
        #expect(bench.loop.snapshot.counters.framesDropped > 0)
    }

    @Test("On the virtual clock no frame is skipped at any rate")
    func virtual() {
        var media = Self.clip
        media.decodingTime = 0
        let bench = play(32, isRealTime: false, media: media)
        #expect(bench.videoSink.numbers == Array(0..<1000))
        #expect(bench.loop.snapshot.counters.framesDropped == 0)
    }
}
