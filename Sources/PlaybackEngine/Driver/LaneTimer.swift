import MediaCore
import PlayheadBackend
import Synchronization

/// Work that is enqueued on its lane at a given time.
final class LaneTimer: Wakeup, Comparable {
    /// Wraps the closure in a struct, because a bare closure in a generic container is wrapped again at each access.
    private struct Call {
        let lane: any Lane
        let work: @Sendable () -> Void
    }

    /// The time in nanoseconds of the driver's clock.
    let time: Int64
    /// The order of creation. Timers of the same time fire in this order.
    private let sequence: UInt64
    /// The work. `cancel` clears it, so that a timer that is still in the heap retains nothing.
    private let call: Locked<Call?>
    /// The pool to notify of a cancellation, or nil.
    private let pool: LanePool?
    private static let made = Atomic<UInt64>(0)

    init(at time: Int64, on lane: any Lane, pool: LanePool? = nil, _ work: @escaping @Sendable () -> Void) {
        self.time = time
        self.pool = pool
        sequence = Self.made.add(1, ordering: .relaxed).newValue
        call = Locked(Call(lane: lane, work: work))
    }

    var isCancelled: Bool { call.withLock { $0 == nil } }

    func cancel() {
        guard call.withLock({ $0.take() }) != nil else { return }
        pool?.timerWasCancelled()
    }

    /// Enqueues the work on its lane. The work can still be cancelled until it runs.
    func fire() {
        guard let lane = call.withLock({ $0?.lane }) else { return }
        lane.enqueue { [self] in call.withLock { $0.take() }?.work() }
    }

    static func < (a: LaneTimer, b: LaneTimer) -> Bool { (a.time, a.sequence) < (b.time, b.sequence) }
    static func == (a: LaneTimer, b: LaneTimer) -> Bool { a === b }
}
