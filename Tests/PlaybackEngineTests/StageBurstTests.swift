import MediaCore
import PlayheadTesting
import Testing

@testable import PlaybackEngine

// Rule: idle-stages
/// Stages that deliver cached frames work in bursts and pause in between. Neither frames nor events differ.
@Suite("Stages work in bursts while cached frames are delivered")
struct StageBurstTests {
    private func play(
        bytes: Int,
        seed: UInt64?,
        passes: Double = 6,
        script: (EngineTestBench) -> Void = { _ in }
    ) -> EngineTestBench {
        let bench = EngineTestBench(seed: seed, isRealTime: true)
        bench.loop.send(.setRepeat(.loop))
        bench.load(.clip()) { $0.frameCache = FrameCache(byteLimit: bytes) }
        bench.loop.send(.setRate(1))
        script(bench)
        bench.driver.run(until: HostTime(nanoseconds: Int64(passes * 2e9) - 1))
        return bench
    }

    @Test(
        "Passes in real time are the same as without the cache",
        arguments: [nil, 1, 2, 3, 4, 5] as [UInt64?]
    )
    func passes(seed: UInt64?) {
        let kept = play(bytes: LoopFrameCacheTests.sufficientBytes, seed: seed)
        let plain = play(bytes: 0, seed: seed)
        #expect(kept.videoSink.calls == plain.videoSink.calls)
        #expect(kept.audioSink.samples == plain.audioSink.samples)
        #expect(kept.lines == plain.lines)
        #expect(kept.videoSink.numbers == (0..<6).flatMap { _ in 0..<50 })
        #expect(kept.loop.snapshot.counters.framesDropped == 0)
        #expect(kept.loop.snapshot.counters.framesLate == 0)
    }

    @Test("A cached pass needs fewer turns of the lanes")
    func turns() {
        func turnsOfAPass(_ bytes: Int) -> Int {
            let bench = play(bytes: bytes, seed: nil, passes: 3)
            var turns = 0
            bench.driver.run(atMost: 2) {
                turns += 1
                return false
            }
            return turns
        }
        let (kept, plain) = (turnsOfAPass(LoopFrameCacheTests.sufficientBytes), turnsOfAPass(0))
        #expect(kept * 10 < plain * 9, "\(kept) of \(plain)")
    }

    @Test(
        "Seeks and loop changes during a cached pass have the same result as without the cache",
        arguments: 0..<8
    )
    func interrupted(seed: UInt64) {
        func run(_ bytes: Int) -> EngineTestBench {
            play(bytes: bytes, seed: seed) { bench in
                bench.driver.run(seconds: 4.31)
                bench.seek(1, to: .ms(300))
                bench.driver.run(seconds: 3.17)
                bench.loop.send(.setRepeat(.once))
                bench.driver.run(seconds: 0.4)
                bench.loop.send(.setRepeat(.loop))
                bench.driver.run(seconds: 0.9)
            }
        }
        let (kept, plain) = (run(LoopFrameCacheTests.sufficientBytes), run(0))
        #expect(kept.videoSink.numbers == plain.videoSink.numbers)
        #expect(kept.audioSink.samples == plain.audioSink.samples)
        #expect(kept.lines == plain.lines)
    }

    @Test("A burst fills the queue up to eight times its limits, and pauses until the queue is within them")
    func hysteresis() {
        let queue = StageQueue<Int>(limits: QueueLimits(count: 4, bytes: 400, duration: 400))
        queue.begin(Epoch())
        func push() { queue.push(0, cost: QueueCost(bytes: 100, duration: 100), epoch: Epoch()) }
        for _ in 0..<4 {
            #expect(queue.hasCapacity && queue.hasBurstCapacity && queue.isWithinLimits)
            push()
        }
        for _ in 4..<32 {
            #expect(!queue.hasCapacity && queue.hasBurstCapacity)
            push()
            #expect(!queue.isWithinLimits)
        }
        #expect(!queue.hasBurstCapacity)
        for _ in 0..<28 {
            #expect(!queue.isWithinLimits)
            _ = queue.pop()
        }
        #expect(queue.isWithinLimits && !queue.hasCapacity)
    }

    @Test("A single element that exceeds the limits does not cause a pause")
    func oversized() {
        let queue = StageQueue<Int>(limits: QueueLimits(count: 4, bytes: 10))
        queue.begin(Epoch())
        queue.push(0, cost: QueueCost(bytes: 100, duration: 0), epoch: Epoch())
        #expect(queue.isWithinLimits && !queue.hasCapacity && !queue.hasBurstCapacity)
    }
}
