import Dispatch
import Glibc
import MediaCore
import PlayheadBackend
import Synchronization
import Testing

@testable import PlaybackEngine

// Rule: lanes
@Suite("Pool driver")
struct PoolDriverTests {
    private static let cores = 2

    /// Returns a pool whose threads end after 20 ms without work.
    private static func makePool() -> LanePool { LanePool(cores: cores, idleTime: 20_000_000) }

    @Test("A lane runs one job at a time, in the order in which jobs were enqueued from any thread")
    func serial() {
        let driver = PoolDriver(pool: Self.makePool())
        let lanes = (0..<8).map { _ in driver.makeLane(.decoding, label: "lane") }
        let seen = lanes.map { _ in Locked((numbers: [Int](), isBusy: false, overlaps: 0)) }
        let done = Pending(of: 8 * 500)
        for number in 0..<500 {
            for (lane, seen) in zip(lanes, seen) {
                lane.enqueue {
                    seen.withLock {
                        $0.overlaps += $0.isBusy ? 1 : 0
                        $0.isBusy = true
                    }
                    seen.withLock {
                        $0.numbers.append(number)
                        $0.isBusy = false
                    }
                    done.tick()
                }
            }
        }
        #expect(done.wait())
        for seen in seen {
            #expect(seen.withLock { $0.numbers } == Array(0..<500))
            #expect(seen.withLock { $0.overlaps } == 0)
        }
    }

    @Test("A job that a lane's own job enqueues runs after the jobs enqueued before it")
    func fromWithin() {
        let driver = PoolDriver(pool: Self.makePool())
        let lane = driver.makeLane(.control, label: "lane")
        let seen = Locked([Int]())
        let done = Pending(of: 2)
        lane.enqueue {
            lane.enqueue {
                seen.withLock { $0.append(2) }
                lane.enqueue { done.tick() }
            }
            seen.withLock { $0.append(0) }
        }
        lane.enqueue {
            seen.withLock { $0.append(1) }
            done.tick()
        }
        #expect(done.wait())
        // Job 1 may have been enqueued before or after job 0 began.
        #expect(seen.withLock { Set($0) } == [0, 1, 2])
        #expect(seen.withLock { $0.first } == 0)
    }

    @Test("Decoding on all cores delays neither control nor output")
    func urgentAtOnce() {
        let driver = PoolDriver(pool: Self.makePool())
        let (gate, busy) = (Gate(), Pending(of: Self.cores))
        let decoding = (0..<20).map { _ in driver.makeLane(.decoding, label: "decode") }
        for lane in decoding {
            lane.enqueue {
                busy.tick()
                gate.pass()
            }
        }
        #expect(busy.wait())
        for role in [LaneRole.control, .output, .fileIO, .blockingIO] {
            let done = Pending(of: 100)
            let lanes = (0..<100).map { _ in driver.makeLane(role, label: "other") }
            for lane in lanes { lane.enqueue { done.tick() } }
            #expect(done.wait(), "\(role) was delayed")
        }
        gate.open()
    }

    @Test("Reads and sinks that hang do not delay other roles, and get more threads up to a limit")
    func hanging() {
        for role in [LaneRole.blockingIO, .output] {
            let pool = Self.makePool()
            let driver = PoolDriver(pool: pool)
            let (gate, done) = (Gate(), Pending(of: 500))
            let hanging = (0..<500).map { _ in driver.makeLane(role, label: "hangs") }
            let peak = Locked(0)
            let bound = Self.cores + LaneQueues.maximumAsleep
            for lane in hanging {
                lane.enqueue {
                    peak.withLock { $0 += 1 }
                    gate.pass()
                    done.tick()
                }
            }
            // Wait until the maximum number of lanes hangs.
            while peak.withLock({ $0 }) < bound { usleep(1000) }
            for other in LaneRole.byPriority where other != role {
                let answered = Pending(of: 1)
                let lane = driver.makeLane(other, label: "other")
                lane.enqueue { answered.tick() }
                #expect(answered.wait(), "\(role) delays \(other)")
            }
            #expect(peak.withLock { $0 } == bound)
            #expect(pool.threadCount <= bound + 1 + 4 * Self.cores)
            gate.open()
            #expect(done.wait())
        }
    }

    @Test(
        "Jobs that a lane with brief turns enqueues before it hangs are delayed only briefly"
    )
    func hangsAfterShortTurns() {
        for hasTimer in [false, true] {
            let driver = PoolDriver(pool: Self.makePool())
            let hanging = driver.makeLane(.output, label: "hangs")
            let short = Pending(of: 50)
            for _ in 0..<50 { hanging.enqueue { short.tick() } }
            #expect(short.wait())
            let control = driver.makeLane(.control, label: "control")
            let timer = driver.schedule(at: driver.clock.now.advanced(by: 30_000_000), on: control) {}
            if !hasTimer { timer.cancel() }
            let (gate, done) = (Gate(), Pending(of: 3))
            let others = (0..<3).map { _ in driver.makeLane(.decoding, label: "other") }
            hanging.enqueue {
                for other in others { other.enqueue { done.tick() } }
                gate.pass()
            }
            #expect(done.wait(), "delayed")
            gate.open()
        }
    }

    @Test("Thousands of lanes share a few threads, and none waits for lanes that always have work")
    func manyLanes() {
        let pool = Self.makePool()
        let driver = PoolDriver(pool: pool)
        let isOver = Atomic<Bool>(false)
        let restless = LaneRole.byPriority.map { driver.makeLane($0, label: "restless") }
        @Sendable func again(_ lane: any Lane) {
            if !isOver.load(ordering: .relaxed) { lane.enqueue { again(lane) } }
        }
        for lane in restless { again(lane) }
        let done = Pending(of: 20_000)
        let lanes = (0..<4000).map { number in
            driver.makeLane(LaneRole.byPriority[number % 4], label: "lane")
        }
        let peak = Locked(0)
        for _ in 0..<5 {
            for lane in lanes { lane.enqueue { done.tick() } }
            peak.withLock { $0 = max($0, pool.threadCount) }
        }
        #expect(done.wait())
        isOver.store(true, ordering: .relaxed)
        // The limit is four threads per core and one more. A thread that sleeps on a lock during a check, because the
        // owner of the lock does not run, is replaced by another one. Without a limit there would be thousands.
        #expect(peak.withLock { $0 } <= 100)
    }

    @Test("Workers without work end, and the control thread stays")
    func workersEnd() {
        let pool = Self.makePool()
        let driver = PoolDriver(pool: pool)
        let done = Pending(of: 400)
        for number in 0..<400 {
            driver.makeLane(LaneRole.byPriority[number % 4], label: "lane").enqueue { done.tick() }
        }
        #expect(done.wait())
        #expect(eventually { pool.threadCount == 1 })
        // They are created again when needed.
        let again = Pending(of: 1)
        driver.makeLane(.decoding, label: "lane").enqueue { again.tick() }
        #expect(again.wait())
    }

    @Test("A lane that is released with pending jobs runs them, and may be deallocated on its own thread")
    func released() {
        let driver = PoolDriver(pool: Self.makePool())
        let done = Pending(of: 100)
        weak var weakLane: (any Lane)?
        do {
            let lane = driver.makeLane(.decoding, label: "lane")
            weakLane = lane
            for _ in 0..<100 { lane.enqueue { done.tick() } }
        }
        #expect(done.wait())
        #expect(eventually { weakLane == nil })
    }

    @Test("A job is released after it has run, and a lane when it has no references")
    func nothingIsRetained() {
        let pool = Self.makePool()
        let done = Pending(of: 2)
        weak var weakPending: Pending?
        weak var lane: (any Lane)?
        do {
            let driver = PoolDriver(pool: pool)
            let made = driver.makeLane(.control, label: "lane")
            let pending = Pending(of: 1)
            (weakPending, lane) = (pending, made)
            made.enqueue { pending.tick() }
            let timer = driver.schedule(at: driver.clock.now.advanced(by: 60_000_000_000), on: made) {
                pending.tick()
            }
            timer.cancel()
            _ = driver.schedule(at: driver.clock.now, on: made) { done.tick() }
            made.enqueue { done.tick() }
        }
        #expect(done.wait())
        #expect(eventually { weakPending == nil && lane == nil })
    }

    // MARK: Timers

    @Test("Timers fire at their times, and timers of the same time in the order of their creation")
    func timers() throws {
        let driver = PoolDriver(pool: Self.makePool())
        let delays: [Int64] = [30, 10, 20, 10, 0, -5, 30, 10]
        var isInTime = false
        for _ in 0..<50 where !isInTime {
            let (fired, isScheduled) = try Self.fire(delays, driver)
            for (number, elapsed) in fired { #expect(elapsed >= delays[number] * 1_000_000) }
            // A timer that is due before the others have been scheduled fires before them.
            guard isScheduled else { continue }
            isInTime = true
            // A timer whose time has passed fires when it is scheduled.
            #expect(fired.map(\.number).filter { delays[$0] > 0 } == [1, 3, 7, 2, 0, 6])
        }
        #expect(isInTime)
    }

    /// Schedules timers after delays in milliseconds. Returns the timers in the order in which they fired, with the
    /// nanoseconds that had elapsed, and whether all had been scheduled when the first one with a delay was due.
    private static func fire(_ delays: [Int64], _ driver: PoolDriver) throws -> (
        fired: [(number: Int, elapsed: Int64)], isScheduled: Bool
    ) {
        let lane = driver.makeLane(.control, label: "lane")
        let start = driver.clock.now
        let fired = Locked([(number: Int, elapsed: Int64)]())
        let done = Pending(of: delays.count)
        var timers: [any Wakeup] = []
        for (number, delay) in delays.enumerated() {
            let time = start.advanced(by: delay * 1_000_000)
            timers.append(
                driver.schedule(at: time, on: lane) {
                    let elapsed = driver.clock.now.nanoseconds(since: start)
                    fired.withLock { $0.append((number, elapsed)) }
                    done.tick()
                }
            )
        }
        let first = delays.filter { $0 > 0 }.min() ?? 0
        let isScheduled = driver.clock.now.nanoseconds(since: start) < first * 1_000_000
        try #require(done.wait())
        withExtendedLifetime(timers) {}
        return (fired.withLock { $0 }, isScheduled)
    }

    @Test("A cancelled timer does not fire, even if its time has been reached")
    func cancelled() {
        let driver = PoolDriver(pool: Self.makePool())
        let (control, decoding) = (
            driver.makeLane(.control, label: "control"), driver.makeLane(.decoding, label: "decode")
        )
        let fired = Locked(0)
        var timers: [any Wakeup] = []
        let (gate, blocked) = (Gate(), Pending(of: 1))
        decoding.enqueue {
            blocked.tick()
            gate.pass()
        }
        #expect(blocked.wait())
        for number in 0..<200 {
            let time = driver.clock.now.advanced(by: Int64(number % 5) * 1_000_000)
            // Timers of the blocked lane fire after the job that blocks it.
            timers.append(driver.schedule(at: time, on: decoding) { fired.withLock { $0 += 1 } })
        }
        let reached = Pending(of: 1)
        let last = driver.schedule(at: driver.clock.now.advanced(by: 20_000_000), on: control) {
            reached.tick()
        }
        #expect(reached.wait())
        for timer in timers { timer.cancel() }
        gate.open()
        let after = Pending(of: 1)
        decoding.enqueue { after.tick() }
        #expect(after.wait())
        #expect(fired.withLock { $0 } == 0)
        withExtendedLifetime(last) {}
    }

    @Test("Cancelled timers do not accumulate")
    func cancelledTimersAreRemoved() {
        let pool = Self.makePool()
        let driver = PoolDriver(pool: pool)
        let lane = driver.makeLane(.control, label: "lane")
        let later = driver.clock.now.advanced(by: 3_600_000_000_000)
        let retained = (0..<50).map { _ in driver.schedule(at: later, on: lane) {} }
        for _ in 0..<10_000 { driver.schedule(at: later, on: lane) {}.cancel() }
        #expect(pool.timerCount <= 50 + 66)
        #expect(pool.timerCount >= 50)
        for timer in retained { timer.cancel() }
    }

    // MARK: Refused threads

    @Test("If the system grants only one thread, that thread does everything")
    func oneThread() {
        let granted = Atomic<Int>(0)
        let pool = LanePool(cores: Self.cores, idleTime: 20_000_000) { name, body in
            granted.add(1, ordering: .relaxed).newValue == 1 ? DetachedThread.start(name, body) : EAGAIN
        }
        let driver = PoolDriver(pool: pool)
        #expect(driver.refusal == nil)
        let done = Pending(of: 400)
        let lanes = (0..<400).map { driver.makeLane(LaneRole.byPriority[$0 % 4], label: "lane") }
        for lane in lanes { lane.enqueue { done.tick() } }
        #expect(done.wait())
        #expect(pool.threadCount == 1)
    }

    @Test(
        "If the system grants no thread, the driver reports it, nothing hangs, and work runs once there is one"
    )
    func noThread() {
        let isGranting = Atomic<Bool>(false)
        let pool = LanePool(cores: Self.cores, idleTime: 20_000_000) { name, body in
            isGranting.load(ordering: .relaxed) ? DetachedThread.start(name, body) : EAGAIN
        }
        let driver = PoolDriver(pool: pool)
        #expect(driver.refusal?.code == .resourceLimit)
        #expect(driver.refusal?.message.contains("thread") == true)
        let done = Pending(of: 3)
        let lanes = [LaneRole.control, .decoding].map { driver.makeLane($0, label: "lane") }
        for lane in lanes { lane.enqueue { done.tick() } }
        let timer = driver.schedule(at: driver.clock.now, on: lanes[0]) { done.tick() }
        #expect(pool.threadCount == 0)
        isGranting.store(true, ordering: .relaxed)
        #expect(PoolDriver(pool: pool).refusal == nil)
        #expect(done.wait())
        withExtendedLifetime(timer) {}
    }
}

/// Returns whether a condition becomes true within 60 s, for effects of other threads that are not signalled.
private func eventually(_ condition: () -> Bool) -> Bool {
    let start = ContinuousClock().now
    while !condition(), ContinuousClock().now - start < .seconds(60) { usleep(1000) }
    return condition()
}

/// A number of events to wait for.
private final class Pending: Sendable {
    /// The number of events that have not happened. It has no lock, because the pool counts a thread that waits for a
    /// lock as one that sleeps.
    private let left: Atomic<Int>
    private let semaphore = DispatchSemaphore(value: 0)

    init(of count: Int) { left = Atomic(count) }

    func tick() {
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { semaphore.signal() }
    }

    /// Returns false if the events have not happened within 30 s.
    func wait() -> Bool { semaphore.wait(timeout: .now() + 30) == .success }
}

/// Blocks the callers of `pass` until it is opened.
private final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func pass() {
        semaphore.wait()
        semaphore.signal()
    }

    func open() { semaphore.signal() }
}
