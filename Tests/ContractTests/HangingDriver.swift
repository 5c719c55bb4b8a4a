import Dispatch
import MediaCore
import PlaybackEngine
import PlayheadBackend

/// A driver whose decoding can be made to hang: work for the decoding lane waits, as if a previous call never returned.
final class HangingDriver: Driver {
    private let inner: any Driver
    private let isHanging = Locked(false)

    init(_ inner: any Driver) { self.inner = inner }

    /// Makes decoding hang from the next work of a lane on.
    func hang() { isHanging.withLock { $0 = true } }

    var clock: any HostClock { inner.clock }
    var isRealTime: Bool { inner.isRealTime }

    func makeLane(_ role: LaneRole, label: String) -> any Lane {
        let lane = inner.makeLane(role, label: label)
        return role == .decoding ? HangingLane(lane, isHanging) : lane
    }

    func makeCallbackLane(_ queue: DispatchQueue) -> any Lane { inner.makeCallbackLane(queue) }

    func schedule(at time: HostTime, on lane: any Lane, _ work: @escaping @Sendable () -> Void) -> any Wakeup
    {
        inner.schedule(at: time, on: lane, work)
    }
}

private final class HangingLane: Lane {
    private let inner: any Lane
    private let isHanging: Locked<Bool>

    init(_ inner: any Lane, _ isHanging: Locked<Bool>) {
        self.inner = inner
        self.isHanging = isHanging
    }

    func enqueue(_ work: @escaping @Sendable () -> Void) {
        inner.enqueue { [isHanging] in if !isHanging.withLock({ $0 }) { work() } }
    }
}
