import MediaCore
import PlayheadBackend
import Synchronization

/// Work that waits for its time, and is then handed to its lane.
final class LaneTimer: Wakeup, Comparable {
    /// In a struct: bare closures in generic containers are wrapped anew at each access.
    private struct Call {
        let lane: any Lane
        let work: @Sendable () -> Void
    }

    /// Nanoseconds of the driver's clock.
    let time: Int64
    /// Alarms of one time ring in the order in which they were made.
    private let sequence: UInt64
    /// Emptied by `cancel`, so that an alarm that is still listed keeps nothing alive.
    private let call: Locked<Call?>
    /// Where it is listed, if it wants to know of those that are called off.
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

    /// Its time has come. The work can still be cancelled until its lane gets to it.
    func fire() {
        guard let lane = call.withLock({ $0?.lane }) else { return }
        lane.enqueue { [self] in call.withLock { $0.take() }?.work() }
    }

    static func < (a: LaneTimer, b: LaneTimer) -> Bool { (a.time, a.sequence) < (b.time, b.sequence) }
    static func == (a: LaneTimer, b: LaneTimer) -> Bool { a === b }
}
