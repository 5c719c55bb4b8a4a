import MediaCore
import PlayheadBackend
import Testing

@testable import PlaybackEngine

@Suite("Which lanes of a pool may be worked on")
struct LaneQueuesTests {
    private let pool = LanePool(cores: 2)
    private func lane(_ role: LaneRole) -> PoolLane { PoolLane(role, pool: pool) }

    @Test("The most urgent first, the oldest of a role first, and no role beyond its width")
    func order() {
        var queues = LaneQueues(cores: 2)
        let decoding = (0..<4).map { _ in lane(.decoding) }
        let (presenting, loading) = (lane(.presenting), lane(.loading))
        queues.push(loading, at: 0)
        for lane in decoding { queues.push(lane, at: 0) }
        queues.push(presenting, at: 0)
        #expect(queues.take(LaneRole.byUrgency, at: 0) === presenting)
        #expect(queues.take(LaneRole.byUrgency, at: 0) === decoding[0])
        #expect(queues.take(LaneRole.byUrgency, at: 0) === decoding[1])
        #expect(queues.take(LaneRole.byUrgency, at: 0) === loading)
        #expect(queues.take(LaneRole.byUrgency, at: 0) == nil)
        queues.finish(.decoding)
        #expect(queues.take([.control, .presenting], at: 0) == nil)
        #expect(queues.take(LaneRole.byUrgency, at: 0) === decoding[2])
    }

    @Test("Those that sleep do not count, up to a bound, and count again when they are done with")
    func widening() {
        var queues = LaneQueues(cores: 2)
        let patience = LaneQueues.patience(.loading)
        for _ in 0..<200 { queues.push(lane(.loading), at: 0) }
        #expect(queues.nextLook == .max)
        var running = 0
        func takeAll(at now: Int64) { while queues.take(LaneRole.byUrgency, at: now) != nil { running += 1 } }
        takeAll(at: 0)
        #expect(queues.nextLook == patience)
        #expect(queues.suspects(at: patience - 1).isEmpty)
        #expect(queues.suspects(at: patience) == [.loading])
        queues.found(asleep: 1, .loading, at: patience)
        #expect(queues.limit(.loading) == 3)
        takeAll(at: patience)
        for step in 2..<100 {
            let now = Int64(step) * patience
            if queues.suspects(at: now) == [.loading] { queues.found(asleep: running, .loading, at: now) }
            takeAll(at: now)
        }
        #expect(running == 2 + LaneQueues.mostAsleep)
        #expect(queues.limit(.loading) == running)
        #expect(queues.mostWorkers == running + 6)
        // Beyond the bound nobody looks any more.
        #expect(queues.nextLook == .max)
        for _ in 0..<running { queues.finish(.loading) }
        #expect(queues.limit(.loading) == 2)
    }

    @Test("Work that does not sleep gets no more threads, however long others wait")
    func busy() {
        var queues = LaneQueues(cores: 2)
        for _ in 0..<200 { queues.push(lane(.loading), at: 0) }
        while queues.take(LaneRole.byUrgency, at: 0) != nil {}
        for step in 1...100 { queues.found(asleep: 0, .loading, at: Int64(step) * 10_000_000) }
        #expect(queues.limit(.loading) == 2)
    }
}
