import MediaCore
import PlayheadTesting
import TestSupport
import Testing

@testable import PlaybackEngine

/// Loops whose laps are decoded once, beside the same loops with the cache switched off.
@Suite("A lap of a loop is decoded once")
struct LapTests {
    /// What a test does in the middle, and the bench that it did it with.
    private func play(
        _ media: ScriptedMedia = .clip(),
        bytes: Int,
        seed: UInt64? = nil,
        laps: Double = 10,
        script: (EngineTestBench, FrameCache) -> Void = { _, _ in }
    ) -> EngineTestBench {
        let cache = FrameCache(byteLimit: bytes)
        let bench = EngineTestBench(seed: seed)
        bench.loop.send(.setRepeat(.loop))
        bench.load(media) { $0.frameCache = cache }
        bench.loop.send(.setRate(1))
        script(bench, cache)
        bench.driver.run(until: HostTime(nanoseconds: Int64(laps * 2e9) - 1))
        #expect(cache.byteCount <= cache.byteLimit)
        return bench
    }

    /// Frames, when each was shown, samples and events are the same in both.
    private func expectSame(
        _ a: EngineTestBench,
        _ b: EngineTestBench,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(a.videoSink.calls == b.videoSink.calls, sourceLocation: sourceLocation)
        #expect(a.audioSink.samples == b.audioSink.samples, sourceLocation: sourceLocation)
        #expect(a.lines == b.lines, sourceLocation: sourceLocation)
    }

    private static let packets = 50 + 94
    static let enough = 16 << 20

    @Test(
        "Ten laps are what they are with the cache switched off, and the decoders get one",
        arguments: ([nil, 1, 2, 3] as [UInt64?]).samples
    )
    func tenLaps(seed: UInt64?) {
        let kept = play(bytes: Self.enough, seed: seed)
        let plain = play(bytes: 0, seed: seed)
        expectSame(kept, plain)
        #expect(kept.videoSink.numbers == (0..<10).flatMap { _ in 0..<50 })
        // One packet more: the first frame is decoded by itself where the decoder delays.
        #expect(kept.backend.counts.decoded <= Self.packets + 1)
        #expect(plain.backend.counts.decoded > 9 * Self.packets)
    }

    @Test("What was read is read once, too, where it fits the bytes for seeks")
    func reads() {
        let counts = play(bytes: Self.enough).backend.counts
        #expect(counts.reads < Self.packets + 10)
        #expect(counts.seeks == 0)
    }

    @Test("A long file is read again in each lap, unless its laps are kept, or its bytes come from afar")
    func readsOfLongLoops() {
        // Longer than what is kept for seeks.
        var media = ScriptedMedia(video: ScriptedMedia.Video(frameCount: 250))
        let kept = play(media, bytes: Self.enough, laps: 14)
        let plain = play(media, bytes: 0, laps: 14)
        expectSame(kept, plain)
        #expect(kept.backend.counts.seeks == 0)
        #expect((250...260).contains(kept.backend.counts.reads))
        #expect(plain.backend.counts.seeks == 2)
        #expect(plain.backend.counts.reads > 2 * 250)
        media.isLocal = false
        let remote = play(media, bytes: 0, laps: 14)
        #expect(remote.backend.counts.seeks == 0)
        #expect((250...260).contains(remote.backend.counts.reads))
    }

    @Test("A lap that will not fit is known by its first frame, and nothing is held for it")
    func refusedAtOnce() {
        var whole = 0
        _ = play(.silentClip(), bytes: Self.enough) { bench, cache in
            bench.driver.run(seconds: 3)
            whole = cache.byteCount
        }
        #expect(whole > 50 * 1024)
        let exact = play(.silentClip(), bytes: whole)
        #expect(exact.backend.counts.decoded <= 51)
        let tooSmall = play(.silentClip(), bytes: whole - 1) { bench, cache in
            for _ in 0..<80 {
                bench.driver.run(seconds: 0.1)
                #expect(cache.byteCount == 0)
            }
        }
        expectSame(exact, tooSmall)
    }

    @Test("A decoder that delays its frames", arguments: [1, 4, 8, 16].samples)
    func delays(delay: Int) {
        var media = ScriptedMedia.clip()
        media.video?.delay = delay
        let kept = play(media, bytes: Self.enough)
        expectSame(kept, play(media, bytes: 0))
        #expect(kept.backend.counts.decoded <= Self.packets + 2)
    }

    @Test("A budget that is too small: each lap is decoded, and nothing is kept")
    func tooSmall() {
        let kept = play(bytes: 20_000)
        let plain = play(bytes: 0)
        expectSame(kept, plain)
        #expect(kept.backend.counts.decoded == plain.backend.counts.decoded)
    }

    @Test(
        "The budget is lowered while a lap is repeated, and raised again",
        arguments: [nil, 5] as [UInt64?]
    )
    func lowered(seed: UInt64?) {
        let script = { (bench: EngineTestBench, cache: FrameCache) in
            bench.driver.run(seconds: 4.5)
            cache.byteLimit = 10_000
            #expect(cache.byteCount <= 10_000)
            bench.driver.run(seconds: 3)
            let decoded = bench.backend.counts.decoded
            cache.byteLimit = Self.enough
            bench.driver.run(seconds: 10)
            #expect(bench.backend.counts.decoded < decoded + 3 * Self.packets)
        }
        let kept = play(bytes: Self.enough, seed: seed, script: script)
        expectSame(kept, play(bytes: 0, seed: seed))
    }

    @Test("A seek inside, then laps", arguments: ([0, 40, 700, 1000, 1990] as [Int64]).samples)
    func seek(to time: Int64) {
        let script = { (bench: EngineTestBench, _: FrameCache) in
            bench.driver.run(seconds: 5.3)
            bench.seek(1, to: .ms(time))
        }
        let kept = play(bytes: Self.enough, script: script)
        let plain = play(bytes: 0, script: script)
        expectSame(kept, plain)
        #expect(kept.backend.counts.decoded < 3 * Self.packets)
        #expect(plain.backend.counts.decoded > 8 * Self.packets)
    }

    @Test("Looping is switched off in the middle of a lap that is repeated: it ends with it")
    func switchedOff() {
        let script = { (bench: EngineTestBench, _: FrameCache) in
            // The next lap is not read yet.
            bench.driver.run(seconds: 4.5)
            bench.loop.send(.setRepeat(.once))
        }
        let kept = play(bytes: Self.enough, script: script)
        expectSame(kept, play(bytes: 0, script: script))
        #expect(kept.videoSink.numbers == (0..<3).flatMap { _ in 0..<50 })
        #expect(kept.backend.counts.decoded <= Self.packets + 1)
    }

    @Test("Looping is switched on in the middle: the next lap is kept")
    func switchedOn() {
        let script = { (bench: EngineTestBench, _: FrameCache) in
            bench.loop.send(.setRepeat(.once))
            bench.driver.run(seconds: 1)
            bench.loop.send(.setRepeat(.loop))
        }
        let kept = play(bytes: Self.enough, script: script)
        expectSame(kept, play(bytes: 0, script: script))
        #expect(kept.backend.counts.decoded < 3 * Self.packets)
    }

    @Test("When looping is switched off and the item played again, nothing is kept for it")
    func freed() {
        let cache = FrameCache(byteLimit: Self.enough)
        let bench = EngineTestBench()
        bench.loop.send(.setRepeat(.loop))
        bench.load(.clip()) { $0.frameCache = cache }
        bench.loop.send(.setRate(1))
        bench.driver.run(seconds: 3)
        #expect(cache.byteCount > 100_000)
        bench.loop.send(.setRepeat(.once))
        bench.driver.run(atMost: 60)
        #expect(cache.byteCount == 0)
    }

    @Test("An item that is replaced leaves nothing behind")
    func replaced() {
        let cache = FrameCache(byteLimit: Self.enough)
        let bench = EngineTestBench()
        bench.loop.send(.setRepeat(.loop))
        bench.load(.clip()) { $0.frameCache = cache }
        bench.loop.send(.setRate(1))
        bench.driver.run(seconds: 3)
        #expect(cache.byteCount > 0)
        bench.load(.silentClip(), id: 2) { $0.frameCache = FrameCache(byteLimit: 0) }
        bench.driver.run(seconds: 1)
        #expect(cache.byteCount == 0)
    }

    @Test("A frame that cannot be decoded: each lap is decoded, and tells of it")
    func faults() {
        let media = ScriptedMedia.clip([.undecodable(frame: 17)])
        let kept = play(media, bytes: Self.enough)
        expectSame(kept, play(media, bytes: 0))
        #expect(kept.lines("fault").count >= 9)
    }

    @Test("A packet that is read late: the laps behind the stall are the same")
    func stall() {
        let media = ScriptedMedia.clip([.stall(atPacket: 60, until: 3)])
        let kept = play(media, bytes: Self.enough)
        expectSame(kept, play(media, bytes: 0))
        #expect(kept.backend.counts.decoded <= Self.packets + 1)
    }

    @Test("An end time is set in the middle of a lap, and taken back")
    func endTime() {
        let script = { (bench: EngineTestBench, _: FrameCache) in
            bench.driver.run(seconds: 4.2)
            bench.loop.perform { $0.current?.pipeline?.setEndTime(.ms(1000)) }
            bench.driver.run(seconds: 4)
            bench.loop.perform { $0.current?.pipeline?.setEndTime(nil) }
        }
        expectSame(
            play(bytes: Self.enough, laps: 9, script: script),
            play(bytes: 0, laps: 9, script: script)
        )
    }

    @Test("At other rates", arguments: ([0.5, 2, 4, 8, 16] as [Float]).samples)
    func rates(rate: Float) {
        let script = { (bench: EngineTestBench, _: FrameCache) in
            bench.driver.run(seconds: 3.1)
            bench.loop.send(.setRate(rate))
            bench.driver.run(seconds: 4)
            bench.loop.send(.setRate(1))
        }
        expectSame(play(bytes: Self.enough, script: script), play(bytes: 0, script: script))
    }

    @Test("Two loops share the budget fairly")
    func shares() {
        // Each takes about 250,000 bytes a lap.
        let cache = FrameCache(byteLimit: 560_000)
        let driver = ManualDriver()
        let benches = (0..<2).map { _ in EngineTestBench(driver: driver) }
        for bench in benches {
            bench.loop.send(.setRepeat(.loop))
            bench.load(.silentClip()) { $0.frameCache = cache }
            bench.loop.send(.setRate(1))
        }
        driver.run(seconds: 19.99)
        for bench in benches {
            #expect(bench.videoSink.numbers == (0..<10).flatMap { _ in 0..<50 })
            #expect(bench.backend.counts.decoded <= 51)
        }
        #expect(cache.byteCount <= cache.byteLimit)
    }

    @Test(
        "Any sequence of seeks, rates, budgets and switches is what it is without the cache",
        arguments: (1...12).samples
    )
    func random(sample: Int) {
        let script = { (bench: EngineTestBench, cache: FrameCache) in
            var random = SplitMix64(UInt64(sample))
            for number in 1...8 {
                bench.driver.run(seconds: Double.random(in: 0.1...2, using: &random))
                switch Int.random(in: 0..<6, using: &random) {
                case 0: bench.seek(UInt64(number), to: .ms(Int64.random(in: 0..<2000, using: &random)))
                case 1: bench.loop.send(.setRate([0, 0.5, 1, 2].randomElement(using: &random) ?? 1))
                case 2: bench.loop.send(.setRepeat(Bool.random(using: &random) ? .once : .loop))
                case 3:
                    let bytes = [0, 50_000, 150_000, Self.enough].randomElement(using: &random) ?? 0
                    if cache.byteLimit > 0 { cache.byteLimit = max(1, bytes) }
                case 4:
                    bench.loop.send(.setRepeat(.loop))
                    bench.loop.send(.setRate(1))
                default:
                    bench.seek(
                        UInt64(number),
                        to: .ms(Int64.random(in: 0..<2000, using: &random)),
                        tolerance: .positiveInfinity
                    )
                }
                #expect(cache.byteCount <= cache.byteLimit)
            }
        }
        var media = ScriptedMedia.clip()
        media.video?.delay = sample % 4
        expectSame(
            play(media, bytes: Self.enough, laps: 10, script: script),
            play(media, bytes: 0, laps: 10, script: script)
        )
    }
}
