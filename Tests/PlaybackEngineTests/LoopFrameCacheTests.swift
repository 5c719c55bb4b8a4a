import MediaCore
import PlayheadTesting
import TestSupport
import Testing

@testable import PlaybackEngine

// Rule: memory, kept-frames
/// Loops whose passes are decoded once, compared with the same loops without the cache.
@Suite("A pass of a loop is decoded once")
struct LoopFrameCacheTests {
    /// Plays a loop.
    ///
    /// - Parameters:
    ///   - media: The media to play.
    ///   - bytes: The byte limit of the cache.
    ///   - seed: The seed of the driver's order, or nil for a fixed order.
    ///   - passes: The number of passes.
    ///   - script: Actions during playback.
    /// - Returns: The bench after playback.
    private func play(
        _ media: ScriptedMedia = .clip(),
        bytes: Int,
        seed: UInt64? = nil,
        passes: Double = 10,
        script: (EngineTestBench, FrameCache) -> Void = { _, _ in }
    ) -> EngineTestBench {
        let cache = FrameCache(byteLimit: bytes)
        let bench = EngineTestBench(seed: seed)
        bench.loop.send(.setRepeat(.loop))
        bench.load(media) { $0.frameCache = cache }
        bench.loop.send(.setRate(1))
        script(bench, cache)
        bench.driver.run(until: HostTime(nanoseconds: Int64(passes * 2e9) - 1))
        #expect(cache.byteCount <= cache.byteLimit)
        return bench
    }

    /// Expects equal frames, presentation times, samples and events.
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
    static let sufficientBytes = 16 << 20

    @Test(
        "Ten passes are the same as without the cache, and the decoders receive only one",
        arguments: ([nil, 1, 2, 3] as [UInt64?]).samples
    )
    func tenPasses(seed: UInt64?) {
        let kept = play(bytes: Self.sufficientBytes, seed: seed)
        let plain = play(bytes: 0, seed: seed)
        expectSame(kept, plain)
        #expect(kept.videoSink.numbers == (0..<10).flatMap { _ in 0..<50 })
        // One packet more, because a decoder that delays its output decodes the first frame alone.
        #expect(kept.backend.counts.decoded <= Self.packets + 1)
        #expect(plain.backend.counts.decoded > 9 * Self.packets)
    }

    @Test("A pass that fits into the packet history is read only once")
    func reads() {
        let counts = play(bytes: Self.sufficientBytes).backend.counts
        #expect(counts.reads < Self.packets + 10)
        #expect(counts.seeks == 0)
    }

    @Test("A long file is read again in each pass, unless its passes are cached or it is remote")
    func readsOfLongLoops() {
        // Longer than the packet history.
        var media = ScriptedMedia(video: ScriptedMedia.Video(frameCount: 250))
        let kept = play(media, bytes: Self.sufficientBytes, passes: 14)
        let plain = play(media, bytes: 0, passes: 14)
        expectSame(kept, plain)
        #expect(kept.backend.counts.seeks == 0)
        #expect((250...260).contains(kept.backend.counts.reads))
        #expect(plain.backend.counts.seeks == 2)
        #expect(plain.backend.counts.reads > 2 * 250)
        media.isLocal = false
        let remote = play(media, bytes: 0, passes: 14)
        #expect(remote.backend.counts.seeks == 0)
        #expect((250...260).contains(remote.backend.counts.reads))
    }

    @Test("A pass that will not fit is detected at its first frame, and nothing is kept of it")
    func rejectedAtFirstFrame() {
        var whole = 0
        _ = play(.silentClip(), bytes: Self.sufficientBytes) { bench, cache in
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

    @Test("A pass of a decoder that delays its output is cached", arguments: [1, 4, 8, 16].samples)
    func delays(delay: Int) {
        var media = ScriptedMedia.clip()
        media.video?.delay = delay
        let kept = play(media, bytes: Self.sufficientBytes)
        expectSame(kept, play(media, bytes: 0))
        #expect(kept.backend.counts.decoded <= Self.packets + 2)
    }

    @Test("If the byte limit is too small, each pass is decoded and nothing is kept")
    func tooSmall() {
        let kept = play(bytes: 20_000)
        let plain = play(bytes: 0)
        expectSame(kept, plain)
        #expect(kept.backend.counts.decoded == plain.backend.counts.decoded)
    }

    @Test(
        "The byte limit may be lowered and raised again while a pass is replayed",
        arguments: [nil, 5] as [UInt64?]
    )
    func lowered(seed: UInt64?) {
        let script = { (bench: EngineTestBench, cache: FrameCache) in
            bench.driver.run(seconds: 4.5)
            cache.byteLimit = 10_000
            #expect(cache.byteCount <= 10_000)
            bench.driver.run(seconds: 3)
            let decoded = bench.backend.counts.decoded
            cache.byteLimit = Self.sufficientBytes
            bench.driver.run(seconds: 10)
            #expect(bench.backend.counts.decoded < decoded + 3 * Self.packets)
        }
        let kept = play(bytes: Self.sufficientBytes, seed: seed, script: script)
        expectSame(kept, play(bytes: 0, seed: seed))
    }

    @Test("After a seek, passes are cached again", arguments: ([0, 40, 700, 1000, 1990] as [Int64]).samples)
    func seek(to time: Int64) {
        let script = { (bench: EngineTestBench, _: FrameCache) in
            bench.driver.run(seconds: 5.3)
            bench.seek(1, to: .ms(time))
        }
        let kept = play(bytes: Self.sufficientBytes, script: script)
        let plain = play(bytes: 0, script: script)
        expectSame(kept, plain)
        #expect(kept.backend.counts.decoded < 3 * Self.packets)
        #expect(plain.backend.counts.decoded > 8 * Self.packets)
    }

    @Test("If looping is disabled while a pass is replayed, playback ends with that pass")
    func switchedOff() {
        let script = { (bench: EngineTestBench, _: FrameCache) in
            // The next pass has not been read yet.
            bench.driver.run(seconds: 4.5)
            bench.loop.send(.setRepeat(.once))
        }
        let kept = play(bytes: Self.sufficientBytes, script: script)
        expectSame(kept, play(bytes: 0, script: script))
        #expect(kept.videoSink.numbers == (0..<3).flatMap { _ in 0..<50 })
        #expect(kept.backend.counts.decoded <= Self.packets + 1)
    }

    @Test("If looping is enabled during a pass, the next pass is cached")
    func switchedOn() {
        let script = { (bench: EngineTestBench, _: FrameCache) in
            bench.loop.send(.setRepeat(.once))
            bench.driver.run(seconds: 1)
            bench.loop.send(.setRepeat(.loop))
        }
        let kept = play(bytes: Self.sufficientBytes, script: script)
        expectSame(kept, play(bytes: 0, script: script))
        #expect(kept.backend.counts.decoded < 3 * Self.packets)
    }

    @Test("After looping is disabled and the item is played again, nothing is kept for it")
    func freed() {
        let cache = FrameCache(byteLimit: Self.sufficientBytes)
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

    @Test("An item that is replaced leaves nothing in the cache")
    func replaced() {
        let cache = FrameCache(byteLimit: Self.sufficientBytes)
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

    @Test("With a frame that cannot be decoded, each pass is decoded and reports the fault")
    func faults() {
        let media = ScriptedMedia.clip([.undecodable(frame: 17)])
        let kept = play(media, bytes: Self.sufficientBytes)
        expectSame(kept, play(media, bytes: 0))
        #expect(kept.lines("fault").count >= 9)
    }

    @Test("A stall does not change the passes after it")
    func stall() {
        let media = ScriptedMedia.clip([.stall(atPacket: 60, until: 3)])
        let kept = play(media, bytes: Self.sufficientBytes)
        expectSame(kept, play(media, bytes: 0))
        #expect(kept.backend.counts.decoded <= Self.packets + 1)
    }

    @Test("An end time may be set and removed during a pass")
    func endTime() {
        let script = { (bench: EngineTestBench, _: FrameCache) in
            bench.driver.run(seconds: 4.2)
            bench.loop.perform { $0.current?.pipeline?.setEndTime(.ms(1000)) }
            bench.driver.run(seconds: 4)
            bench.loop.perform { $0.current?.pipeline?.setEndTime(nil) }
        }
        expectSame(
            play(bytes: Self.sufficientBytes, passes: 9, script: script),
            play(bytes: 0, passes: 9, script: script)
        )
    }

    @Test(
        "Passes at other rates are the same as without the cache",
        arguments: ([0.5, 2, 4, 8, 16] as [Float]).samples
    )
    func rates(rate: Float) {
        let script = { (bench: EngineTestBench, _: FrameCache) in
            bench.driver.run(seconds: 3.1)
            bench.loop.send(.setRate(rate))
            bench.driver.run(seconds: 4)
            bench.loop.send(.setRate(1))
        }
        expectSame(play(bytes: Self.sufficientBytes, script: script), play(bytes: 0, script: script))
    }

    @Test("Two loops share the byte limit equally")
    func shares() {
        // Each pass takes about 250,000 bytes.
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
        "Any sequence of seeks, rates, byte limits and loop changes has the same result as without the cache",
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
                    let bytes = [0, 50_000, 150_000, Self.sufficientBytes].randomElement(using: &random) ?? 0
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
            play(media, bytes: Self.sufficientBytes, passes: 10, script: script),
            play(media, bytes: 0, passes: 10, script: script)
        )
    }
}
