import MediaCore
import PlayheadTesting
import Testing

@testable import PlaybackEngine

// Rule: idle-stages
/// Stages that hand out what is kept work in batches and rest in between. Nothing that is shown or told differs.
@Suite("Stages rest where nothing is decoded")
struct RestTests {
    private func play(
        bytes: Int,
        seed: UInt64?,
        laps: Double = 6,
        script: (EngineTestBench) -> Void = { _ in }
    ) -> EngineTestBench {
        let bench = EngineTestBench(seed: seed, isRealTime: true)
        bench.loop.send(.setRepeat(.loop))
        bench.load(.clip()) { $0.frameCache = FrameCache(byteLimit: bytes) }
        bench.loop.send(.setRate(1))
        script(bench)
        bench.driver.run(until: HostTime(nanoseconds: Int64(laps * 2e9) - 1))
        return bench
    }

    @Test(
        "Laps in real time are what they are with the cache switched off",
        arguments: [nil, 1, 2, 3, 4, 5] as [UInt64?]
    )
    func laps(seed: UInt64?) {
        let kept = play(bytes: LapTests.enough, seed: seed)
        let plain = play(bytes: 0, seed: seed)
        #expect(kept.videoSink.calls == plain.videoSink.calls)
        #expect(kept.audioSink.samples == plain.audioSink.samples)
        #expect(kept.lines == plain.lines)
        #expect(kept.videoSink.numbers == (0..<6).flatMap { _ in 0..<50 })
        #expect(kept.loop.snapshot.counters.framesDropped == 0)
        #expect(kept.loop.snapshot.counters.framesLate == 0)
    }

    @Test("A lap that is kept takes fewer turns of the lanes")
    func turns() {
        func turnsOfALap(_ bytes: Int) -> Int {
            let bench = play(bytes: bytes, seed: nil, laps: 3)
            var turns = 0
            bench.driver.run(atMost: 2) {
                turns += 1
                return false
            }
            return turns
        }
        let (kept, plain) = (turnsOfALap(LapTests.enough), turnsOfALap(0))
        #expect(kept * 10 < plain * 9, "\(kept) of \(plain)")
    }

    @Test("Seeks and a change of the loop in the middle of a lap that is kept", arguments: 0..<8)
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
        let (kept, plain) = (run(LapTests.enough), run(0))
        #expect(kept.videoSink.numbers == plain.videoSink.numbers)
        #expect(kept.audioSink.samples == plain.audioSink.samples)
        #expect(kept.lines == plain.lines)
    }

    @Test("What is kept is filled up to eight times the limits; the stage sleeps until it is down at them")
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

    @Test("A single element that is larger than the limits is not waited for")
    func oversized() {
        let queue = StageQueue<Int>(limits: QueueLimits(count: 4, bytes: 10))
        queue.begin(Epoch())
        queue.push(0, cost: QueueCost(bytes: 100, duration: 0), epoch: Epoch())
        #expect(queue.isWithinLimits && !queue.hasCapacity && !queue.hasBurstCapacity)
    }
}
