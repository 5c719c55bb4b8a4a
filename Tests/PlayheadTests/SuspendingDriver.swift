import Dispatch
import MediaCore
import PlaybackEngine
import PlayheadBackend
import PlayheadTesting

/// A driver that calls a closure once, just before work is enqueued. This is what a thread encounters that is suspended
/// there.
final class SuspendingDriver: Driver {
    let inner = ManualDriver()
    private let suspension = Locked<(@Sendable () -> Void)?>(nil)

    var clock: any HostClock { inner.clock }
    var isRealTime: Bool { false }

    /// Sets the closure that is called before the next work is enqueued.
    func suspend(_ body: @escaping @Sendable () -> Void) { suspension.withLock { $0 = body } }

    func makeLane(_ role: LaneRole, label: String) -> any Lane {
        HookedLane(inner.makeLane(role, label: label), before: { [self] in resume() })
    }

    private func resume() {
        let body = suspension.withLock { suspension in
            defer { suspension = nil }
            return suspension
        }
        body?()
    }

    func makeCallbackLane(_ queue: DispatchQueue) -> any Lane { makeLane(.control, label: "callbacks") }

    func schedule(at time: HostTime, on lane: any Lane, _ work: @escaping @Sendable () -> Void) -> any Wakeup
    {
        inner.schedule(at: time, on: (lane as? HookedLane)?.inner ?? lane, work)
    }
}
