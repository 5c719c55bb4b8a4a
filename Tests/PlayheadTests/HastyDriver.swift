import Dispatch
import MediaCore
import PlaybackEngine
import PlayheadBackend
import PlayheadTesting

/// A driver that performs all possible work as soon as any is enqueued. This is what a thread encounters that is
/// suspended for a while between two calls of the player.
final class HastyDriver: Driver {
    let inner = ManualDriver()
    private let isBusy = Locked(false)

    var clock: any HostClock { inner.clock }
    var isRealTime: Bool { false }

    func makeLane(_ role: LaneRole, label: String) -> any Lane {
        HookedLane(inner.makeLane(role, label: label), after: { [self] in settle() })
    }

    func makeCallbackLane(_ queue: DispatchQueue) -> any Lane { makeLane(.control, label: "callbacks") }

    func schedule(at time: HostTime, on lane: any Lane, _ work: @escaping @Sendable () -> Void) -> any Wakeup
    {
        inner.schedule(at: time, on: (lane as? HookedLane)?.inner ?? lane, work)
    }

    private func settle() {
        let isFirst = isBusy.withLock { isBusy in
            defer { isBusy = true }
            return !isBusy
        }
        guard isFirst else { return }
        inner.settle()
        isBusy.withLock { $0 = false }
    }
}
