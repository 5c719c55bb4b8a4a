import DequeModule
import MediaCore
import PlayheadBackend

/// A lane whose work is done by the threads of a `LanePool`, one thread at a time.
final class PoolLane: Lane {
    /// Wraps the closure in a struct, because a bare closure in a generic container is wrapped again at each access.
    private struct Job {
        let body: @Sendable () -> Void
    }

    private struct Jobs {
        var waiting: Deque<Job> = []
        /// A Boolean value that indicates whether the lane is queued in the pool or a thread works on it.
        var isWithPool = false
    }

    let role: LaneRole
    private let pool: LanePool
    private let jobs = Locked(Jobs())
    /// The time at which the lane last became ready, in nanoseconds of `PoolThread.now`. Guarded by the pool's mutex.
    nonisolated(unsafe) var readySince: Int64 = 0
    /// A decaying maximum of the durations of recent turns, in nanoseconds. Guarded by the pool's mutex.
    private nonisolated(unsafe) var longestTurn = Int64.max
    /// The duration in nanoseconds below which a turn ends before another thread would wake up.
    static let briefTurnDuration: Int64 = 150_000

    init(_ role: LaneRole, pool: LanePool) {
        self.role = role
        self.pool = pool
    }

    /// A Boolean value that indicates whether recent turns were brief. Reads are never assumed to be brief. Called
    /// with the pool's mutex held.
    var isBrief: Bool { !role.isReading && longestTurn < Self.briefTurnDuration }

    /// Records the duration of a turn in nanoseconds. Called with the pool's mutex held.
    func recordTurn(_ duration: Int64) {
        longestTurn = longestTurn == .max ? duration : max(duration, longestTurn - longestTurn / 8)
    }

    func enqueue(_ work: @escaping @Sendable () -> Void) {
        let isNew = jobs.withLock { jobs in
            jobs.waiting.append(Job(body: work))
            defer { jobs.isWithPool = true }
            return !jobs.isWithPool
        }
        if isNew { pool.makeReady(self) }
    }

    /// Runs the oldest job on the calling thread. A turn is one job, so that other lanes, especially those of higher
    /// priority, run in between.
    ///
    /// - Returns: True if more jobs are waiting; the lane then stays with the pool.
    func runTurn() -> Bool {
        // Objects that only the job retained are released before the turn ends.
        do {
            let job = jobs.withLock { $0.waiting.popFirst() }
            job?.body()
        }
        return jobs.withLock { jobs in
            jobs.isWithPool = !jobs.waiting.isEmpty
            return jobs.isWithPool
        }
    }
}
