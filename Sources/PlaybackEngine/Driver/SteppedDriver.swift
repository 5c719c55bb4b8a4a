import DequeModule
package import Dispatch
import HeapModule
package import MediaCore
package import PlayheadBackend

/// Keeps what is to be run and picks it one by one. Time stands still while anything can run, and then jumps
/// to the next moment that somebody waits for.
///
/// With a seed the order among lanes is drawn from it. Without one what shows and decides goes before what
/// reads and decodes ahead, and the oldest work first. Within a lane the order is always that of arrival.
package final class SteppedDriver: Driver {
    package var clock: any HostClock { manualClock }
    package let manualClock: ManualClock
    package var isRealTime: Bool { false }

    private typealias Job = @Sendable () -> Void

    /// What can run now. However many lanes there are, a step costs the same: in order of arrival a lane's
    /// oldest work is at the front of a queue that all lanes share.
    private struct Jobs {
        private var urgent: Deque<Job> = []
        /// Reading and decoding can wait: it is done ahead of need.
        private var ahead: Deque<Job> = []
        /// What waits for work that is done beside the lanes.
        private var waiting: Deque<Job> = []
        /// Steps ahead since something waits.
        private var stepsAhead = 0
        /// With a seed: each lane's own, by the order in which lanes were made.
        private var lanes: [Deque<Job>] = []
        private var random: SplitMix64?

        init(seed: UInt64?) { random = seed.map(SplitMix64.init) }

        /// The new lane's number.
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

        /// While something is done beside the lanes there is time for steps ahead, but not for all that there are: the
        /// first frame shall come soon.
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
        /// Closures that run on a queue of the user's right now; nothing else runs meanwhile.
        var runningCallbacks = 0
    }

    private let state: Locked<State>
    /// Called, without a lock, whenever there may be something to run. Set once by the owner.
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

    /// Runs `work`, which may wait for something outside, when little else is left to do at the present time.
    package func enqueueWaiting(_ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.jobs.appendWaiting(work) }
        notifyWorkHandler()
    }

    fileprivate func callbackWillRun() { state.withLock { $0.runningCallbacks += 1 } }

    fileprivate func callbackDidRun() {
        state.withLock { $0.runningCallbacks -= 1 }
        notifyWorkHandler()
    }

    private func notifyWorkHandler() { onWork() }

    /// Whether a step or a jump could be taken now.
    package var hasWork: Bool {
        state.withLock { state in
            state.runningCallbacks == 0
                && (!state.jobs.isEmpty || state.timers.unordered.contains { !$0.isCancelled })
        }
    }

    /// Runs one closure that is ready at the present time. False: nothing is, or the user's queue is busy.
    @discardableResult
    package func step() -> Bool {
        guard let job = state.withLock({ $0.runningCallbacks == 0 ? $0.jobs.next() : nil }) else {
            return false
        }
        job()
        return true
    }

    /// Makes the work ready that was to be done by now. Time may have passed while something else ran.
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

    /// Jumps to the next moment that somebody waits for and makes its work ready. False: nobody waits, or
    /// that moment is past `limit`, or something can still run at the present time.
    @discardableResult
    package func advance(limit: HostTime = .distantFuture) -> Bool {
        let due = state.withLock { state -> LaneTimer? in
            guard state.runningCallbacks == 0, state.jobs.isEmpty else { return nil }
            while let timer = state.timers.min, timer.isCancelled { state.timers.removeMin() }
            guard let timer = state.timers.min, timer.time <= limit.nanoseconds else { return nil }
            return state.timers.removeMin()
        }
        guard let due else { return false }
        manualClock.advance(to: HostTime(nanoseconds: due.time))
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

/// Hands each closure to the user's queue at its turn, and holds everything else until it returned.
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
            driver.callbackWillRun()
            queue.async {
                work()
                driver.callbackDidRun()
            }
        }
    }
}
