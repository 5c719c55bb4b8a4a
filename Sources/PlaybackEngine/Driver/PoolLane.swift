import DequeModule
import MediaCore
import PlayheadBackend

/// A lane whose work is done by the threads of a `LanePool`, by one at a time.
final class PoolLane: Lane {
    /// In a struct: bare closures in generic containers are wrapped anew at each access.
    private struct Job {
        let body: @Sendable () -> Void
    }

    private struct Jobs {
        var waiting: Deque<Job> = []
        /// The pool has the lane, or a thread is at work on it.
        var isWithPool = false
    }

    let role: LaneRole
    private let pool: LanePool
    private let jobs = Locked(Jobs())
    /// When it was last made ready, in nanoseconds of `PoolThread.now`. Guarded by the pool's mutex.
    nonisolated(unsafe) var readySince: Int64 = 0
    /// About the longest of the last turns, in nanoseconds. Guarded by the pool's mutex.
    private nonisolated(unsafe) var longestTurn = Int64.max
    /// A turn of less is over sooner than another thread wakes up.
    static let briefTurnDuration: Int64 = 150_000

    init(_ role: LaneRole, pool: LanePool) {
        self.role = role
        self.pool = pool
    }

    /// Its turns are short, as far as they tell. Reads are not foreseen. Called with the pool's mutex.
    var isBrief: Bool { !role.isReading && longestTurn < Self.briefTurnDuration }

    /// Called with the pool's mutex.
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

    /// Does the oldest piece of work on the calling thread. True: there is more, and the lane stays with the pool.
    /// One piece a turn: the other lanes come in between, the more urgent ones first.
    func runTurn() -> Bool {
        // What the work alone held is freed while the lane is still taken.
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
