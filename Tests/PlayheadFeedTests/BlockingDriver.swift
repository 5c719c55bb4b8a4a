import Dispatch
import MediaCore
import PlayheadBackend
import PlayheadTesting

/// A driver on which a call can block: the lane that runs the call then runs nothing else until it is released. The test
/// continues, and so do the other lanes.
final class BlockingDriver: Driver {
    let inner = ManualDriver()
    private let running = Locked<BlockingLane?>(nil)
    private let blocked = Locked<BlockingLane?>(nil)

    var clock: any HostClock { inner.clock }
    var isRealTime: Bool { false }

    func makeLane(_ role: LaneRole, label: String) -> any Lane {
        BlockingLane(inner.makeLane(role, label: label), running)
    }

    func makeCallbackLane(_ queue: DispatchQueue) -> any Lane { makeLane(.control, label: "callbacks") }

    func schedule(at time: HostTime, on lane: any Lane, _ work: @escaping @Sendable () -> Void) -> any Wakeup
    {
        inner.schedule(at: time, on: lane, work)
    }

    /// Blocks the lane that runs the caller.
    func block() {
        let lane = running.withLock { $0 }
        lane?.block()
        blocked.withLock { $0 = lane }
    }

    /// Releases the lane that is blocked.
    func release() { blocked.withLock { $0 }?.release() }
}

private final class BlockingLane: Lane {
    private struct State {
        var isBlocked = false
        var waiting: [@Sendable () -> Void] = []
    }
    private let inner: any Lane
    private let running: Locked<BlockingLane?>
    private let state = Locked(State())

    init(_ inner: any Lane, _ running: Locked<BlockingLane?>) {
        self.inner = inner
        self.running = running
    }

    func enqueue(_ work: @escaping @Sendable () -> Void) {
        inner.enqueue { [self] in
            let isBlocked = state.withLock { state -> Bool in
                if state.isBlocked { state.waiting.append(work) }
                return state.isBlocked
            }
            guard !isBlocked else { return }
            running.withLock { $0 = self }
            work()
            running.withLock { $0 = nil }
        }
    }

    func block() { state.withLock { $0.isBlocked = true } }

    func release() {
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            defer { state = State() }
            return state.waiting
        }
        for work in waiting { enqueue(work) }
    }
}
