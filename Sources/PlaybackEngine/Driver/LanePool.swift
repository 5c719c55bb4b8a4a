internal import Glibc
import HeapModule
internal import MediaCore
internal import PlayheadBackend

/// The threads that all lanes of a process share.
///
/// One thread, the control thread, fires timers and works on control lanes. These never block, so a frame that is due
/// is not delayed by other work. The other threads, the workers, work on any lane in order of priority. At most as
/// many lanes are worked on at the same time as `LaneQueues` allows. Workers are created when they are needed, and
/// end after some time without work.
///
/// A thread is woken or created only while the mutex is free. At most one worker is on its way to look for work
/// (`pendingWakes`), and it decides whether another one is needed.
///
/// `@unchecked Sendable`: mutable state is guarded by `mutex`.
final class LanePool: @unchecked Sendable {
    typealias StartThread = @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) -> Int32

    /// A thread of the pool.
    ///
    /// `@unchecked Sendable`: mutable state is guarded by the pool's `mutex`.
    private final class Worker: @unchecked Sendable {
        let condition = PoolCondition()
        let threadID = PoolThread.currentID
        var isSignalled = false
        /// The lane that the worker works on, and the time at which its turn began.
        var work: (lane: PoolLane, since: Int64)?
    }

    /// The thread to wake or to create when the mutex is free.
    private enum Wake {
        case noThread
        case thread(PoolCondition)
        case newControl
        case newWorker
    }

    static let shared = LanePool(cores: max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))

    private let mutex = PoolMutex()
    private var queues: LaneQueues
    private var timers = Heap<LaneTimer>()
    /// The number of timers that were cancelled and are still in the heap.
    private var cancelledTimers = 0

    private var hasControl = false
    private var controlThread: pthread_t?
    private let controlCondition = PoolCondition()
    /// The time at which the control thread wakes without a signal, or nil if it is awake or has been signalled.
    private var controlSleepsUntil: Int64?

    private var workers: [Worker] = []
    /// The workers without work. The one that went to sleep last is woken first, so that workers that are not needed
    /// can end.
    private var idle: [Worker] = []
    private var pendingStarts = 0
    /// The number of workers that have been woken or created and have not looked for work. No other worker is woken
    /// meanwhile.
    private var pendingWakes = 0
    /// The time at which the system last refused to create a worker.
    private var lastRefusal: Int64?

    /// The time in nanoseconds that a worker stays without work.
    private let idleTime: Int64
    private let startThread: StartThread
    /// The time in nanoseconds after which a refused thread is requested again.
    private static let threadRetryInterval: Int64 = 100_000_000
    /// The maximum number of lanes that may wait for one thread; see `currentTurnEndsSoon`.
    private static let maximumWaitingForOneThread = 3
    /// The conditions of `currentTurnEndsSoon` in nanoseconds: the next timer fires within the first, and no lane has
    /// waited for longer than the second.
    private static let nearTimerInterval: Int64 = 50_000_000
    private static let maximumReadyTime: Int64 = 1_000_000

    init(
        cores: Int,
        idleTime: Int64 = 5_000_000_000,
        startThread: @escaping StartThread = DetachedThread.start
    ) {
        queues = LaneQueues(cores: cores)
        self.idleTime = idleTime
        self.startThread = startThread
    }

    // MARK: From any thread

    /// The current number of threads.
    var threadCount: Int { mutex.withLock { workers.count + pendingStarts + (hasControl ? 1 : 0) } }

    /// Whether urgent work is pending; see `Driver.hasUrgentWork`.
    var hasUrgentWork: Bool { mutex.withLock { queues.hasUrgentWork } }

    /// The number of timers in the heap, including cancelled ones.
    var timerCount: Int { mutex.withLock { timers.count } }

    /// Starts the control thread unless it exists. Returns 0, or the `errno` of the system's refusal.
    func start() -> Int32 {
        let wake = mutex.withLock { hasControl ? Wake.noThread : wakeControl() }
        return execute(wake)
    }

    /// Enqueues a lane that has work and that no thread works on.
    func makeReady(_ lane: PoolLane) {
        let wake = mutex.withLock {
            queues.enqueue(lane, at: PoolThread.now)
            // The control thread plans a wake-up after its own work, so that one wake-up serves all of it.
            if let controlThread, pthread_equal(controlThread, pthread_self()) != 0 { return Wake.noThread }
            return planWake()
        }
        execute(wake)
    }

    func add(_ timer: LaneTimer) {
        let wake = mutex.withLock {
            timers.insert(timer)
            if let until = controlSleepsUntil, until <= timer.time { return Wake.noThread }
            return wakeControl()
        }
        execute(wake)
    }

    /// Records that a timer was cancelled. Cancelled timers are removed when they are many: most timers are cancelled
    /// before they fire, and removing one from the middle of a heap costs more than filtering it occasionally.
    func timerWasCancelled() {
        mutex.withLock {
            cancelledTimers += 1
            guard cancelledTimers > max(64, timers.count / 2) else { return }
            timers = Heap(timers.unordered.filter { !$0.isCancelled })
            cancelledTimers = 0
        }
    }

    // MARK: Waking

    /// Returns the thread that has to work on a ready lane, or that has to count sleeping workers later. The mutex is
    /// held.
    private func planWake() -> Wake {
        let waiting = queues.waitingCount(.control)
        if waiting > 0, !hasControl || controlSleepsUntil != nil { return wakeControl() }
        // The control thread is awake and works on one lane by itself. Further lanes are shared with workers.
        if pendingWakes == 0, waiting > 1 || queues.canRunWorkers, !currentTurnEndsSoon(),
            let wake = planWorker()
        {
            return wake
        }
        if let until = controlSleepsUntil, queues.nextSleepCheck < until { return wakeControl() }
        return .noThread
    }

    /// Returns whether few lanes wait and a worker finishes a brief turn soon. Waking another thread takes
    /// longer than that. If the turn is long after all, the next timer, which fires soon, leads to another decision.
    private func currentTurnEndsSoon() -> Bool {
        guard queues.waitingCount <= Self.maximumWaitingForOneThread, let timer = timers.min else {
            return false
        }
        let now = PoolThread.now
        guard timer.time - now < Self.nearTimerInterval, now - queues.oldestWaiting < Self.maximumReadyTime
        else {
            return false
        }
        return workers.contains { worker in
            worker.work.map { $0.lane.isBrief && now - $0.since < PoolLane.briefTurnDuration } ?? false
        }
    }

    /// Returns a worker to wake or to create, or nil if all are working and no more are allowed.
    private func planWorker() -> Wake? {
        if let worker = idle.popLast() {
            worker.isSignalled = true
            pendingWakes += 1
            return .thread(worker.condition)
        }
        guard queues.canRunWorkers, workers.count + pendingStarts < queues.maximumWorkers else { return nil }
        // Work that no worker can do is done by the control thread.
        if let lastRefusal, PoolThread.now - lastRefusal < Self.threadRetryInterval { return wakeControl() }
        pendingWakes += 1
        pendingStarts += 1
        return .newWorker
    }

    /// Returns a wake-up of the control thread. The mutex is held.
    private func wakeControl() -> Wake {
        guard hasControl else {
            hasControl = true
            return .newControl
        }
        guard controlSleepsUntil != nil else { return .noThread }
        controlSleepsUntil = nil
        return .thread(controlCondition)
    }

    /// Wakes or creates a thread. The mutex is free, so that the thread does not block on it at once.
    ///
    /// - Returns: 0, or the `errno` with which the system refused a thread.
    @discardableResult
    private func execute(_ wake: Wake) -> Int32 {
        switch wake {
        case .noThread: return 0
        case .thread(let condition):
            condition.signal()
            return 0
        case .newControl:
            let code = startThread("playhead") { [self] in runControl() }
            if code != 0 { mutex.withLock { hasControl = false } }
            return code
        case .newWorker:
            let code = startThread("playhead.work") { [self] in runWorker() }
            guard code != 0 else { return 0 }
            let wake = mutex.withLock {
                pendingStarts -= 1
                pendingWakes -= 1
                lastRefusal = PoolThread.now
                // A worker that has become idle can do the work; otherwise the control thread does it, or tries
                // again.
                let wake = planWake()
                if case .noThread = wake { return wakeControl() }
                return wake
            }
            return execute(wake)
        }
    }

    // MARK: Control thread (the mutex is held, except while something runs or sleeps)

    private func runControl() {
        mutex.lock()
        controlThread = pthread_self()
        while true {
            let now = PoolThread.now
            if let timer = timers.min, timer.time <= now {
                fireTimers(at: now)
            } else if let lane = queues.dequeue(controlThreadRoles, at: now) {
                work(on: lane, since: now)
            } else if queues.nextSleepCheck <= now {
                updateSleepCounts(at: now)
            } else if wakeAnotherThread() {
                continue
            } else {
                var until = min(timers.min?.time ?? .max, queues.nextSleepCheck)
                // The system may grant later what it refused.
                if let lastRefusal, queues.canRunWorkers {
                    until = min(until, lastRefusal + Self.threadRetryInterval)
                }
                controlSleepsUntil = until
                controlCondition.wait(mutex, until: until)
                controlSleepsUntil = nil
            }
        }
    }

    /// Wakes another thread for work that this thread must not do itself, before this thread sleeps. Returns true if
    /// a thread was woken.
    private func wakeAnotherThread() -> Bool {
        let wake = planWake()
        if case .noThread = wake { return false }
        mutex.unlock()
        execute(wake)
        mutex.lock()
        return true
    }

    /// The roles that the control thread works on: control lanes only, unless the system refuses threads for the
    /// others.
    private var controlThreadRoles: ArraySlice<LaneRole> {
        guard lastRefusal != nil, idle.isEmpty else { return LaneRole.byPriority[..<1] }
        // A read may block, so it is left to a worker if there is one.
        return workers.isEmpty ? LaneRole.byPriority[...] : LaneRole.byPriority[..<3]
    }

    private func fireTimers(at now: Int64) {
        while let timer = timers.min, timer.time <= now {
            timers.removeMin()
            mutex.unlock()
            timer.fire()
            mutex.lock()
        }
    }

    private func updateSleepCounts(at now: Int64) {
        for role in queues.rolesToCheck(at: now) {
            // A worker whose turn has just begun may wait for a lock.
            let start = now - LaneQueues.sleepCheckDelay(role)
            let threads = workers.filter {
                $0.work.map { $0.lane.role == role && $0.since <= start } ?? false
            }
            .map(\.threadID)
            mutex.unlock()
            let asleep = threads.count { PoolThread.isAsleep($0) }
            mutex.lock()
            queues.setAsleep(asleep, role, at: now)
        }
        let wake = planWake()
        mutex.unlock()
        execute(wake)
        mutex.lock()
    }

    private func work(on lane: PoolLane, since start: Int64) {
        // Other lanes that are ready are for another thread.
        let wake = planWake()
        mutex.unlock()
        execute(wake)
        let hasMore = lane.runTurn()
        mutex.lock()
        let now = PoolThread.now
        lane.recordTurn(now - start)
        queues.finish(lane.role)
        if hasMore { queues.enqueue(lane, at: now) }
    }

    // MARK: Workers

    private func runWorker() {
        let worker = Worker()
        mutex.lock()
        workers.append(worker)
        pendingStarts -= 1
        pendingWakes -= 1
        lastRefusal = nil
        repeat {
            while true {
                let now = PoolThread.now
                guard let lane = queues.dequeue(LaneRole.byPriority, at: now) else { break }
                worker.work = (lane, now)
                work(on: lane, since: now)
                worker.work = nil
            }
        } while sleepUntilSignalled(worker)
        workers.removeAll { $0 === worker }
        mutex.unlock()
    }

    /// Sleeps until the worker is signalled. Returns false if it was not needed for `idleTime`.
    private func sleepUntilSignalled(_ worker: Worker) -> Bool {
        let until = PoolThread.now + idleTime
        idle.append(worker)
        while !worker.isSignalled {
            worker.condition.wait(mutex, until: until)
            guard !worker.isSignalled, PoolThread.now >= until else { continue }
            idle.removeAll { $0 === worker }
            return false
        }
        worker.isSignalled = false
        pendingWakes -= 1
        return true
    }
}
