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
        HastyLane(inner.makeLane(role, label: label)) { [self] in settle() }
    }

    func makeCallbackLane(_ queue: DispatchQueue) -> any Lane { makeLane(.control, label: "callbacks") }

    func schedule(at time: HostTime, on lane: any Lane, _ work: @escaping @Sendable () -> Void) -> any Wakeup
    {
        inner.schedule(at: time, on: (lane as? HastyLane)?.inner ?? lane, work)
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

private final class HastyLane: Lane {
    let inner: any Lane
    private let settle: @Sendable () -> Void

    init(_ inner: any Lane, settle: @escaping @Sendable () -> Void) {
        self.inner = inner
        self.settle = settle
    }

    func enqueue(_ work: @escaping @Sendable () -> Void) {
        inner.enqueue(work)
        settle()
    }
}
