import MediaCore
import PlayheadBackend
import Testing

@testable import PlaybackEngine

// Rule: lanes
@Suite("Lane queues")
struct LaneQueuesTests {
    private let pool = LanePool(cores: 2)
    private func lane(_ role: LaneRole) -> PoolLane { PoolLane(role, pool: pool) }

    @Test("The highest priority runs first, the oldest lane of a role first, and no role exceeds its width")
    func order() {
        var queues = LaneQueues(cores: 2)
        let decoding = (0..<4).map { _ in lane(.decoding) }
        let (presenting, loading) = (lane(.output), lane(.blockingIO))
        queues.enqueue(loading, at: 0)
        for lane in decoding { queues.enqueue(lane, at: 0) }
        queues.enqueue(presenting, at: 0)
        #expect(queues.dequeue(LaneRole.byPriority, at: 0) === presenting)
        #expect(queues.dequeue(LaneRole.byPriority, at: 0) === decoding[0])
        #expect(queues.dequeue(LaneRole.byPriority, at: 0) === decoding[1])
        #expect(queues.dequeue(LaneRole.byPriority, at: 0) === loading)
        #expect(queues.dequeue(LaneRole.byPriority, at: 0) == nil)
        queues.finish(.decoding)
        #expect(queues.dequeue([.control, .output], at: 0) == nil)
        #expect(queues.dequeue(LaneRole.byPriority, at: 0) === decoding[2])
    }

    @Test("Sleeping lanes are not counted, up to a limit, and a finished lane reduces the limit again")
    func widening() {
        var queues = LaneQueues(cores: 2)
        let sleepCheckDelay = LaneQueues.sleepCheckDelay(.blockingIO)
        for _ in 0..<200 { queues.enqueue(lane(.blockingIO), at: 0) }
        #expect(queues.nextSleepCheck == .max)
        var running = 0
        func dequeueAll(at now: Int64) {
            while queues.dequeue(LaneRole.byPriority, at: now) != nil { running += 1 }
        }
        dequeueAll(at: 0)
        #expect(queues.nextSleepCheck == sleepCheckDelay)
        #expect(queues.rolesToCheck(at: sleepCheckDelay - 1).isEmpty)
        #expect(queues.rolesToCheck(at: sleepCheckDelay) == [.blockingIO])
        queues.setAsleep(1, .blockingIO, at: sleepCheckDelay)
        #expect(queues.limit(.blockingIO) == 3)
        dequeueAll(at: sleepCheckDelay)
        for step in 2..<100 {
            let now = Int64(step) * sleepCheckDelay
            if queues.rolesToCheck(at: now) == [.blockingIO] {
                queues.setAsleep(running, .blockingIO, at: now)
            }
            dequeueAll(at: now)
        }
        #expect(running == 2 + LaneQueues.maximumAsleep)
        #expect(queues.limit(.blockingIO) == running)
        #expect(queues.maximumWorkers == running + 6)
        // At the limit, no further check is scheduled.
        #expect(queues.nextSleepCheck == .max)
        for _ in 0..<running { queues.finish(.blockingIO) }
        #expect(queues.limit(.blockingIO) == 2)
    }

    @Test("Work that does not sleep gets no more threads, however long other lanes wait")
    func busy() {
        var queues = LaneQueues(cores: 2)
        for _ in 0..<200 { queues.enqueue(lane(.blockingIO), at: 0) }
        while queues.dequeue(LaneRole.byPriority, at: 0) != nil {}
        for step in 1...100 { queues.setAsleep(0, .blockingIO, at: Int64(step) * 10_000_000) }
        #expect(queues.limit(.blockingIO) == 2)
    }
}
