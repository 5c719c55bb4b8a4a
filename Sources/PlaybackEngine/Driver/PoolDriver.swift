package import Dispatch
internal import Glibc
package import MediaCore
package import PlayheadBackend

/// The driver for production: lanes share the threads of the process's `LanePool`, and time is the machine's.
package final class PoolDriver: Driver {
    package let clock: any HostClock
    package var isRealTime: Bool { true }
    package var sharesThreads: Bool { true }
    package var hasUrgentWork: Bool { pool.hasUrgentWork }
    /// The error with which the system refused the pool's first thread, or nil. Nothing runs until the system grants
    /// one.
    package let refusal: MediaError?
    private let pool: LanePool
    private let isSystemClock: Bool

    package convenience init(clock: any HostClock = SystemClock()) {
        self.init(clock: clock, pool: .shared)
    }

    init(clock: any HostClock = SystemClock(), pool: LanePool) {
        self.clock = clock
        isSystemClock = clock is SystemClock
        self.pool = pool
        let code = pool.start()
        refusal =
            code == 0
            ? nil
            : MediaError(
                .resourceLimit,
                "cannot create a thread: \(String(cString: strerror(code)))",
                underlyingCode: code,
                isRetryable: true
            )
    }

    package func makeLane(_ role: LaneRole, label: String) -> any Lane { PoolLane(role, pool: pool) }

    package func makeCallbackLane(_ queue: DispatchQueue) -> any Lane { QueueLane(queue) }

    package func schedule(
        at time: HostTime,
        on lane: any Lane,
        _ work: @escaping @Sendable () -> Void
    ) -> any Wakeup {
        let timer = LaneTimer(at: machineTime(of: time), on: lane, pool: pool, work)
        pool.add(timer)
        return timer
    }

    private func machineTime(of time: HostTime) -> Int64 {
        // The same clock is read directly, so that equal times stay equal.
        guard !isSystemClock else { return time.nanoseconds }
        // The time is limited to one day so that the sum cannot overflow. The caller checks the time again.
        return PoolThread.now + min(max(0, time.nanoseconds(since: clock.now)), 86_400_000_000_000)
    }
}

/// A lane on a dispatch queue of the user.
final class QueueLane: Lane {
    private let queue: DispatchQueue
    init(_ queue: DispatchQueue) { self.queue = queue }
    func enqueue(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
}
