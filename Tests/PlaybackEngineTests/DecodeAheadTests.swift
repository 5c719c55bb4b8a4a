import MediaCore
import PlayheadTesting
import Testing

@testable import PlaybackEngine

// Rule: kept-frames
/// Steps backward while paused. The group of pictures before the one being shown is decoded while the player is idle.
@Suite("The frames before a backward step are decoded ahead")
struct DecodeAheadTests {
    /// A clip with a key frame every two seconds: at the frames 0, 50, 100, 150 and 200.
    private static func clip(delay: Int = 0, hasAudio: Bool = false) -> ScriptedMedia {
        var video = ScriptedMedia.Video(frameCount: 250, frameRate: 25, keyInterval: 50, bFrames: 2)
        video.delay = delay
        return ScriptedMedia(video: video, audio: hasAudio ? .init(sampleCount: 480_000) : nil)
    }

    private func load(
        _ media: ScriptedMedia,
        _ cache: FrameCache = FrameCache(byteLimit: 16 << 20),
        seed: UInt64? = nil
    ) -> EngineTestBench {
        let bench = EngineTestBench(seed: seed)
        bench.load(media) { $0.frameCache = cache }
        bench.driver.run(atMost: 1)
        return bench
    }

    private func seek(_ bench: EngineTestBench, _ id: UInt64, toFrame frame: Int) {
        bench.seek(id, to: .ms(Int64(frame) * 40))
        bench.driver.run(atMost: 1)
        #expect(bench.videoSink.numbers.last == frame)
    }

    /// Steps back by one frame. Returns the number of packets that were decoded before the frame was shown.
    private func stepBack(_ bench: EngineTestBench, to frame: Int) -> Int {
        let decoded = bench.backend.counts.decoded
        bench.loop.send(.step(-1))
        while bench.videoSink.numbers.last != frame, bench.driver.step() {}
        #expect(bench.videoSink.numbers.last == frame)
        return bench.backend.counts.decoded - decoded
    }

    @Test(
        "If the player is idle after each step, only the first step waits for decoding",
        arguments: [0, 1, 4, 8],
        [nil, 1, 2] as [UInt64?]
    )
    func idle(delay: Int, seed: UInt64?) {
        let bench = load(Self.clip(delay: delay), seed: seed)
        seek(bench, 1, toFrame: 110)
        var waiting: [Int] = []
        for frame in (0..<110).reversed() {
            if stepBack(bench, to: frame) > 0 { waiting.append(frame) }
            bench.driver.run(atMost: 1)
        }
        #expect(waiting == [109])
        #expect(bench.videoSink.numbers == [0, 110] + (0..<110).reversed())
    }

    @Test(
        "The group of pictures is decoded ahead if there is memory for its frames",
        arguments: [0, 256, 16 << 20]
    )
    func memory(limit: Int) {
        let cache = FrameCache(byteLimit: limit)
        let bench = load(Self.clip(), cache)
        seek(bench, 1, toFrame: 110)
        _ = stepBack(bench, to: 109)
        let decoded = bench.backend.counts.decoded
        bench.driver.run(atMost: 1)
        if limit > 256 {
            #expect(bench.backend.counts.decoded - decoded >= 50)
            #expect(cache.byteCount >= 50 * 1152)
        } else {
            #expect(bench.backend.counts.decoded == decoded)
        }
        for frame in (40..<109).reversed() {
            _ = stepBack(bench, to: frame)
            bench.driver.run(atMost: 1)
        }
        #expect(bench.videoSink.numbers == [0, 110] + (40..<110).reversed())
    }

    @Test("Steps are granted a few at a time, and only while no decoder has work")
    func grants() {
        let driver = ManualDriver(isRealTime: true)
        let ahead = DecodeAhead(driver: driver, label: "ahead")
        let wakes = Locked(0)
        ahead.setWake { wakes.withLock { $0 += 1 } }
        #expect(!ahead.takeStep())
        driver.run(seconds: 1)
        #expect(!ahead.takeStep(), "not enabled")
        ahead.setEnabled(true)
        #expect(wakes.withLock { $0 } == 1)
        let busy = driver.makeLane(.decoding, label: "busy")
        busy.enqueue { ahead.takeStep() ? wakes.withLock { $0 = -1 } : () }
        driver.run(seconds: 0.1)
        #expect(wakes.withLock { $0 } == 2, "granted after the lane's work was done")
        var count = 0
        while ahead.takeStep() { count += 1 }
        #expect(count == 8)
        // Work that never ends: nothing is granted.
        let again = Locked<(@Sendable () -> Void)?>(nil)
        again.withLock { $0 = { busy.enqueue { again.withLock { $0 }?() } } }
        again.withLock { $0 }?()
        for _ in 0..<200 { driver.step() }
        #expect(!ahead.takeStep() && wakes.withLock { $0 } == 2)
        again.withLock { $0 = nil }
        driver.run(seconds: 0.1)
        #expect(ahead.takeStep() && wakes.withLock { $0 } == 3)
        ahead.cancel()
        #expect(!ahead.takeStep())
    }

    @Test("The frames decoded ahead stay within the limit of the cache", arguments: [6, 12, 30, 60])
    func limit(frames: Int) {
        // A scripted frame uses 1152 bytes in the cache.
        let cache = FrameCache(byteLimit: frames * 1152)
        let bench = load(Self.clip(), cache)
        seek(bench, 1, toFrame: 110)
        for frame in (0..<110).reversed() {
            bench.loop.send(.step(-1))
            while bench.driver.step() { #expect(cache.byteCount <= cache.byteLimit) }
            #expect(bench.videoSink.numbers.last == frame)
        }
        #expect(bench.videoSink.numbers == [0, 110] + (0..<110).reversed())
    }

    @Test("Frames that other items have evicted are decoded again", arguments: [0, 3])
    func evicted(delay: Int) {
        let cache = FrameCache(byteLimit: 40 * 1152)
        let bench = load(Self.clip(delay: delay), cache)
        let other = load(Self.clip(), cache)
        seek(bench, 1, toFrame: 110)
        for frame in (0..<110).reversed() {
            _ = stepBack(bench, to: frame)
            bench.driver.run(atMost: 1)
            guard frame % 9 == 0 else { continue }
            // The seeks of the other item use all of the memory.
            for id in 1...4 as ClosedRange<UInt64> { seek(other, id, toFrame: 249 - Int(id) * 3) }
        }
        #expect(bench.videoSink.numbers == [0, 110] + (0..<110).reversed())
    }

    /// What follows a step backward, at any time during decoding ahead.
    private enum Next: CaseIterable {
        case play, playBackward, seekFar, seekNear, stepForward, replace, remove, release
    }

    @Test(
        "Anything that follows a step backward cancels decoding ahead and its memory",
        arguments: Next.allCases
    )
    private func cancelled(next: Next) {
        for steps in [0, 3, 10, 25, 60, 200, 1000] {
            let cache = FrameCache(byteLimit: 16 << 20)
            let bench = load(Self.clip(delay: 2, hasAudio: true), cache)
            seek(bench, 1, toFrame: 110)
            _ = stepBack(bench, to: 109)
            for _ in 0..<steps { bench.driver.step() }
            let shown = bench.videoSink.numbers.count
            var numbers: ArraySlice<Int> { bench.videoSink.numbers[shown...] }
            switch next {
            case .play:
                bench.play()
                bench.driver.run(atMost: 60)
                #expect(numbers == ArraySlice(110..<250), "after \(steps)")
                let first = 109 * 1920
                let heard = bench.audioSink.samples.suffix(480_000 - first)
                #expect(heard.elementsEqual((first..<480_000).map { Int16(truncatingIfNeeded: $0) }))
            case .playBackward:
                bench.play(-1)
                bench.driver.run(atMost: 60)
                #expect(numbers == ArraySlice((0..<109).reversed()), "after \(steps)")
            case .seekFar:
                seek(bench, 2, toFrame: 230)
                for frame in (190..<230).reversed() {
                    _ = stepBack(bench, to: frame)
                    bench.driver.run(atMost: 1)
                }
                #expect(numbers == ArraySlice((190...230).reversed()), "after \(steps)")
            case .seekNear:
                seek(bench, 2, toFrame: 98)
                bench.play()
                bench.driver.run(atMost: 60)
                #expect(numbers == ArraySlice(98..<250), "after \(steps)")
            case .stepForward:
                bench.loop.send(.step(3))
                bench.driver.run(atMost: 1)
                #expect(numbers == [112], "after \(steps)")
            case .replace:
                bench.load(.silentClip(), id: 2)
                bench.driver.run(atMost: 1)
                #expect(numbers == [0], "after \(steps)")
                #expect(cache.byteCount == 0)
            case .remove:
                bench.loop.perform { $0.setItem(nil, nil) }
                bench.driver.run(atMost: 1)
                #expect(numbers.isEmpty && cache.byteCount == 0)
            case .release:
                bench.loop.release()
                bench.driver.run(atMost: 1)
                #expect(numbers.isEmpty && cache.byteCount == 0)
            }
        }
    }

    @Test("Decoding ahead changes no event, and reads nothing that backward steps do not read")
    func events() {
        let lines = [0, 16 << 20].map { limit in
            let bench = load(Self.clip(hasAudio: true), FrameCache(byteLimit: limit))
            for frame in (60..<110).reversed() {
                bench.seek(UInt64(frame), to: .ms(Int64(frame) * 40 + 40))
                bench.driver.run(atMost: 1)
                _ = stepBack(bench, to: frame)
                bench.driver.run(atMost: 1)
            }
            bench.play()
            bench.driver.run(atMost: 60)
            return bench.lines
        }
        #expect(lines[0] == lines[1])
        #expect(lines[0].count > 100)
    }

    @Test("Decoding ahead yields to a player that plays", arguments: [true, false])
    func yields(plays: Bool) {
        // Each of 100 frames per second takes three quarters of its duration to decode.
        var busy = ScriptedMedia(video: .init(frameCount: 600, frameRate: 100))
        busy.decodingTimes = { _, _ in 7_500_000 }
        var stepped = ScriptedMedia(video: .init(frameCount: 500, frameRate: 100, keyInterval: 100))
        stepped.decodingTimes = { _, _ in 5_000_000 }
        let playing = EngineTestBench(isRealTime: true)
        let paused = EngineTestBench(driver: playing.driver, isRealTime: true)
        paused.load(stepped) { $0.frameCache = FrameCache(byteLimit: 16 << 20) }
        paused.driver.run(seconds: 1)
        paused.seek(1, to: .ms(2200))
        paused.driver.run(seconds: 3)
        playing.load(busy)
        playing.driver.run(seconds: 1)
        let decoded = paused.backend.counts.decoded
        if plays { playing.play() }
        playing.driver.run(seconds: 1)
        // The frames from 200 on are decoded for the step itself.
        paused.loop.send(.step(-1))
        playing.driver.run(seconds: 3)
        #expect(paused.videoSink.numbers.last == 219)
        #expect(paused.backend.counts.decoded - decoded >= 20 + 100)
        let counters = playing.loop.snapshot.counters
        guard plays else { return }
        #expect(counters.framesPresented > 380)
        // The decoding of the step itself is urgent, that of the group before it is not.
        #expect(counters.framesDropped <= 20, "\(counters.framesDropped)")
    }
}
