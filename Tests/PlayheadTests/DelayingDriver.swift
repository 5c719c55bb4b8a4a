import Dispatch
import MediaCore
import PlayheadBackend
import PlayheadTesting

/// A driver whose callbacks can be delayed, as by a handler that blocks the callback queue.
final class DelayingDriver: Driver {
    private final class CallbackLane: Lane {
        private let inner: any Lane
        /// The work that is delayed, or nil if none is to be delayed.
        private let delayed = Locked<[@Sendable () -> Void]?>(nil)

        init(_ inner: any Lane) { self.inner = inner }

        func enqueue(_ work: @escaping @Sendable () -> Void) {
            let isDelayed = delayed.withLock { delayed -> Bool in
                delayed?.append(work)
                return delayed != nil
            }
            if !isDelayed { inner.enqueue(work) }
        }

        func delay() { delayed.withLock { $0 = [] } }

        func run() {
            let all = delayed.withLock { delayed in
                defer { delayed = nil }
                return delayed ?? []
            }
            for work in all { inner.enqueue(work) }
        }
    }

    let inner = ManualDriver()
    private let callbackLanes = Locked([CallbackLane]())

    var clock: any HostClock { inner.clock }
    var isRealTime: Bool { false }

    /// Delays all callbacks from now on until `runCallbacks()` is called.
    func delayCallbacks() { for lane in callbackLanes.withLock({ $0 }) { lane.delay() } }

    /// Enqueues the callbacks that were delayed.
    func runCallbacks() { for lane in callbackLanes.withLock({ $0 }) { lane.run() } }

    func makeLane(_ role: LaneRole, label: String) -> any Lane { inner.makeLane(role, label: label) }

    func makeCallbackLane(_ queue: DispatchQueue) -> any Lane {
        let lane = CallbackLane(inner.makeCallbackLane(queue))
        callbackLanes.withLock { $0.append(lane) }
        return lane
    }

    func schedule(at time: HostTime, on lane: any Lane, _ work: @escaping @Sendable () -> Void) -> any Wakeup
    {
        inner.schedule(at: time, on: lane, work)
    }
}
