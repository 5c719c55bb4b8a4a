import DequeModule
package import Dispatch
import HeapModule
package import MediaCore
package import PlayheadBackend

/// A driver that runs its work step by step on the caller's thread. Time stops while anything can run, and then jumps
/// to the time of the next timer.
///
/// With a seed, the order among lanes is random. Without one, control and output precede reading and decoding ahead,
/// and older work precedes newer work. Within a lane, work always runs in the order of arrival.
package final class SteppedDriver: Driver {
    package var clock: any HostClock { manualClock }
    package let manualClock: ManualClock
    package var isRealTime: Bool { false }

    private typealias Job = @Sendable () -> Void

    /// The work that can run now. A step costs the same for any number of lanes: without a seed, all lanes share
    /// queues in the order of arrival.
    private struct Jobs {
        private var urgent: Deque<Job> = []
        /// Reading and decoding, which are done ahead and can wait.
        private var ahead: Deque<Job> = []
        /// Work that waits for computations outside the lanes.
        private var waiting: Deque<Job> = []
        /// The number of steps of `ahead` that have run since work has been waiting.
        private var stepsAhead = 0
        /// The work of each lane, in the order in which the lanes were created. Used only with a seed.
        private var lanes: [Deque<Job>] = []
        private var random: SplitMix64?

        init(seed: UInt64?) { random = seed.map(SplitMix64.init) }

        /// The number of lanes, which is also the index of the next one.
        private(set) var laneCount = 0

        var isEmpty: Bool {
            urgent.isEmpty && ahead.isEmpty && waiting.isEmpty && lanes.allSatisfy(\.isEmpty)
        }

        mutating func makeLane() -> Int {
            if random != nil { lanes.append([]) }
            defer { laneCount += 1 }
            return laneCount
        }

        mutating func append(_ job: @escaping Job, lane: Int, isAhead: Bool) {
            if random != nil {
                lanes[lane].append(job)
            } else if isAhead {
                ahead.append(job)
            } else {
                urgent.append(job)
            }
        }

        mutating func next() -> Job? {
            guard random != nil else { return urgent.popFirst() ?? nextAhead() }
            if lanes.allSatisfy(\.isEmpty) { return waiting.popFirst() }
            let ready = lanes.indices.filter { !lanes[$0].isEmpty }
            guard let lane = ready.randomElement(using: &random!) else { return nil }
            return lanes[lane].removeFirst()
        }

        mutating func appendWaiting(_ job: @escaping Job) { waiting.append(job) }

        /// Returns the next job of `ahead`, or a waiting job. While computations run outside the lanes, some steps of
        /// `ahead` are run first. Their number is limited so that the first frame is not delayed.
        private mutating func nextAhead() -> Job? {
            if !waiting.isEmpty, ahead.isEmpty || stepsAhead >= Self.maximumStepsAhead {
                stepsAhead = 0
                return waiting.popFirst()
            }
            stepsAhead = waiting.isEmpty ? 0 : stepsAhead + 1
            return ahead.popFirst()
        }

        private static let maximumStepsAhead = 8
    }

    private struct State {
        var jobs: Jobs
        var timers = Heap<LaneTimer>()
        /// The number of closures of the user that run on its queues or in `hold(_:)`. No step begins meanwhile.
        var holdCount = 0
    }

    private let state: Locked<State>
    /// Called without a lock whenever there may be something to run. Set once by the owner.
    private let onWork = SettableCallback()

    package init(seed: UInt64? = nil, clock: ManualClock = ManualClock()) {
        manualClock = clock
        state = Locked(State(jobs: Jobs(seed: seed)))
    }

    package func setWorkHandler(_ handler: @escaping @Sendable () -> Void) {
        onWork.set(handler)
    }

    package func makeLane(_ role: LaneRole, label: String) -> any Lane {
        let index = state.withLock { $0.jobs.makeLane() }
        return SteppedLane(driver: self, index: index, isAhead: role.isReading || role == .decoding)
    }

    package func makeCallbackLane(_ queue: DispatchQueue) -> any Lane {
        CallbackQueueLane(driver: self, queue: queue, inner: makeLane(.control, label: "callbacks"))
    }

    package func schedule(
        at time: HostTime,
        on lane: any Lane,
        _ work: @escaping @Sendable () -> Void
    ) -> any Wakeup {
        let timer = LaneTimer(at: time.nanoseconds, on: lane, work)
        state.withLock { $0.timers.insert(timer) }
        notifyWorkHandler()
        return timer
    }

    fileprivate func enqueue(_ work: @escaping @Sendable () -> Void, on lane: Int, isAhead: Bool) {
        state.withLock { $0.jobs.append(work, lane: lane, isAhead: isAhead) }
        notifyWorkHandler()
    }

    /// Enqueues work that may wait for something outside the driver. It runs when little else can run at the current
    /// time.
    package func enqueueWaiting(_ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.jobs.appendWaiting(work) }
        notifyWorkHandler()
    }

    /// Calls `body` while no step begins and no time passes. A step that has begun runs to its end.
    package func hold<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result
    {
        beginHold()
        defer { endHold() }
        return try body()
    }

    fileprivate func beginHold() { state.withLock { $0.holdCount += 1 } }

    fileprivate func endHold() {
        state.withLock { $0.holdCount -= 1 }
        notifyWorkHandler()
    }

    private func notifyWorkHandler() { onWork() }

    /// A Boolean value that indicates whether a step or a jump in time is possible.
    package var hasWork: Bool {
        state.withLock { state in
            state.holdCount == 0
                && (!state.jobs.isEmpty || state.timers.unordered.contains { !$0.isCancelled })
        }
    }

    /// Runs one closure that is ready at the current time. Returns false if there is none or if a queue of the user
    /// is busy.
    @discardableResult
    package func step() -> Bool {
        guard let job = state.withLock({ $0.holdCount == 0 ? $0.jobs.next() : nil }) else {
            return false
        }
        job()
        return true
    }

    /// Fires the timers that are due. Time may have passed while something else ran.
    package func fireDue() {
        while true {
            let due = state.withLock { state -> LaneTimer? in
                guard let timer = state.timers.min, timer.time <= clock.now.nanoseconds else { return nil }
                return state.timers.removeMin()
            }
            guard let due else { return }
            due.fire()
        }
    }

    /// Advances the clock to the time of the next timer and fires it. Returns false if there is no timer, if its time
    /// is after `limit`, or if something can run at the current time.
    @discardableResult
    package func advance(limit: HostTime = .distantFuture) -> Bool {
        let due = state.withLock { state -> LaneTimer? in
            guard state.holdCount == 0, state.jobs.isEmpty else { return nil }
            while let timer = state.timers.min, timer.isCancelled { state.timers.removeMin() }
            guard let timer = state.timers.min, timer.time <= limit.nanoseconds else { return nil }
            // Under the lock, so that no time passes once a hold has begun.
            manualClock.advance(to: HostTime(nanoseconds: timer.time))
            return state.timers.removeMin()
        }
        guard let due else { return false }
        due.fire()
        return true
    }
}

private final class SteppedLane: Lane {
    private let driver: SteppedDriver
    private let index: Int
    private let isAhead: Bool

    init(driver: SteppedDriver, index: Int, isAhead: Bool) {
        self.driver = driver
        self.index = index
        self.isAhead = isAhead
    }

    func enqueue(_ work: @escaping @Sendable () -> Void) {
        driver.enqueue(work, on: index, isAhead: isAhead)
    }
}

/// A lane that runs each closure on a queue of the user, and holds all other work until it has returned.
private final class CallbackQueueLane: Lane {
    private let driver: SteppedDriver
    private let queue: DispatchQueue
    private let inner: any Lane

    init(driver: SteppedDriver, queue: DispatchQueue, inner: any Lane) {
        self.driver = driver
        self.queue = queue
        self.inner = inner
    }

    func enqueue(_ work: @escaping @Sendable () -> Void) {
        inner.enqueue { [driver, queue] in
            driver.beginHold()
            queue.async {
                work()
                driver.endHold()
            }
        }
    }
}
