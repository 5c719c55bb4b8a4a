internal import Glibc
import HeapModule
internal import MediaCore
internal import PlayheadBackend

/// The threads that all lanes of a process share.
///
/// One thread, the control thread, rings alarms and works on control lanes, which never block: a frame that is
/// due waits for nothing else. The other threads, the workers, take any lane, the most urgent first. There are
/// at most as many as `LaneQueues` lets work at the same time; they are made when they are needed, and end when
/// they were not for a while.
///
/// `@unchecked Sendable`: what changes is guarded by `mutex`.
final class LanePool: @unchecked Sendable {
    typealias StartThread = @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) -> Int32

    /// A thread of the pool.
    ///
    /// `@unchecked Sendable`: what changes is guarded by the pool's `mutex`.
    private final class Worker: @unchecked Sendable {
        let condition = PoolCondition()
        let threadID = PoolThread.currentID
        var isSignalled = false
        /// The lane that it works on, and since when.
        var work: (lane: PoolLane, since: Int64)?
    }

    /// Who is to be woken or made when the mutex is free again.
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
    /// Alarms that were called off and are still listed.
    private var cancelledTimers = 0

    private var hasControl = false
    private var controlThread: pthread_t?
    private let controlCondition = PoolCondition()
    /// When the control thread wakes by itself; nil: it is awake, or has been signalled.
    private var controlSleepsUntil: Int64?

    private var workers: [Worker] = []
    /// The one that went to sleep last is the first to be woken, so that those that are not needed can end.
    private var idle: [Worker] = []
    private var pendingStarts = 0
    /// Workers on their way to look for work. Nobody else is woken meanwhile: who arrives sees whether another
    /// one is needed.
    private var pendingWakes = 0
    /// When the system last refused a worker.
    private var lastRefusal: Int64?

    /// Nanoseconds that a worker stays without work.
    private let idleTime: Int64
    private let startThread: StartThread
    /// Nanoseconds until the system is asked again for a thread that it refused.
    private static let threadRetryInterval: Int64 = 100_000_000
    /// Lanes that may wait for one thread; see `currentTurnEndsSoon`.
    private static let maximumWaitingForOneThread = 3
    /// Nanoseconds.
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

    /// Threads at present.
    var threadCount: Int { mutex.withLock { workers.count + pendingStarts + (hasControl ? 1 : 0) } }

    /// See `Driver.hasUrgentWork`.
    var hasUrgentWork: Bool { mutex.withLock { queues.hasUrgentWork } }

    /// Alarms that are listed.
    var timerCount: Int { mutex.withLock { timers.count } }

    /// Makes sure of the control thread. Returns 0, or the `errno` with which the system refused it.
    func start() -> Int32 {
        let wake = mutex.withLock { hasControl ? Wake.noThread : wakeControl() }
        return execute(wake)
    }

    /// The lane has work, and nobody works on it.
    func makeReady(_ lane: PoolLane) {
        let wake = mutex.withLock {
            queues.enqueue(lane, at: PoolThread.now)
            // The control thread looks for somebody when it is done with its own work: one wake-up for all of it.
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

    /// One of the alarms was called off. It stays listed until many are such: most are called off before their
    /// time, and taking one out of the middle of a heap costs more than going through it now and then.
    func timerWasCancelled() {
        mutex.withLock {
            cancelledTimers += 1
            guard cancelledTimers > max(64, timers.count / 2) else { return }
            timers = Heap(timers.unordered.filter { !$0.isCancelled })
            cancelledTimers = 0
        }
    }

    // MARK: Waking

    /// Who is to look for lanes that can be worked on, or in time who sleeps; the mutex is held.
    private func planWake() -> Wake {
        let waiting = queues.waitingCount(.control)
        if waiting > 0, !hasControl || controlSleepsUntil != nil { return wakeControl() }
        // The control thread is awake and takes one by itself. More than one are shared out.
        if pendingWakes == 0, waiting > 1 || queues.canRunWorkers, !currentTurnEndsSoon(),
            let wake = planWorker()
        {
            return wake
        }
        if let until = controlSleepsUntil, queues.nextSleepCheck < until { return wakeControl() }
        return .noThread
    }

    /// What waits is little, and somebody who works on a lane whose turns are short goes on with it in a moment:
    /// to wake another thread takes longer. If that turn is a long one after all, the next alarm, which is near,
    /// finds out.
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

    /// nil: all are at work, and there cannot be more.
    private func planWorker() -> Wake? {
        if let worker = idle.popLast() {
            worker.isSignalled = true
            pendingWakes += 1
            return .thread(worker.condition)
        }
        guard queues.canRunWorkers, workers.count + pendingStarts < queues.maximumWorkers else { return nil }
        // What cannot be done elsewhere is done by the control thread.
        if let lastRefusal, PoolThread.now - lastRefusal < Self.threadRetryInterval { return wakeControl() }
        pendingWakes += 1
        pendingStarts += 1
        return .newWorker
    }

    /// The mutex is held.
    private func wakeControl() -> Wake {
        guard hasControl else {
            hasControl = true
            return .newControl
        }
        guard controlSleepsUntil != nil else { return .noThread }
        controlSleepsUntil = nil
        return .thread(controlCondition)
    }

    /// The mutex is free: neither a thread that wakes nor one that begins runs into it. Returns 0, or the `errno`
    /// with which the system refused a thread.
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
                // One that rests by now can do it as well; else the control thread does it, or tries again.
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
                // What the system refused before it may grant later.
                if let lastRefusal, queues.canRunWorkers {
                    until = min(until, lastRefusal + Self.threadRetryInterval)
                }
                controlSleepsUntil = until
                controlCondition.wait(mutex, until: until)
                controlSleepsUntil = nil
            }
        }
    }

    /// Before this thread sleeps: what it may not do itself is not left lying. True: somebody was woken.
    private func wakeAnotherThread() -> Bool {
        let wake = planWake()
        if case .noThread = wake { return false }
        mutex.unlock()
        execute(wake)
        mutex.lock()
        return true
    }

    /// Control alone, unless the system refuses threads for the others.
    private var controlThreadRoles: ArraySlice<LaneRole> {
        guard lastRefusal != nil, idle.isEmpty else { return LaneRole.byPriority[..<1] }
        // A read may block: it is left to a worker where there is one.
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
            // One that has just begun may wait for a lock.
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
        // What can be worked on besides is for another thread.
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

    /// False: nobody needed it for a while.
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
