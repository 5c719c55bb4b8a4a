package import Dispatch
package import MediaCore

/// Production: each lane is a serial queue over the shared pool, and time is the machine's.
package final class DispatchDriver: Driver {
    package let clock: any HostClock
    package var isRealTime: Bool { true }

    package init(clock: any HostClock = SystemClock()) { self.clock = clock }

    package func makeLane(_ role: LaneRole, label: String) -> any Lane {
        let qos: DispatchQoS =
            switch role {
            case .control, .presenting: .userInteractive
            case .loading, .decoding: .userInitiated
            }
        return QueueLane(DispatchQueue(label: "playhead.\(label)", qos: qos))
    }

    package func makeCallbackLane(_ queue: DispatchQueue) -> any Lane { QueueLane(queue) }

    package func schedule(
        at time: HostTime,
        on lane: any Lane,
        _ work: @escaping @Sendable () -> Void
    ) -> any Wakeup {
        guard let lane = lane as? QueueLane else {
            lane.enqueue(work)
            return FiredWakeup()
        }
        let wait = max(0, time.nanoseconds(since: clock.now))
        // A day at most: the caller asks again, and DispatchTime cannot overflow.
        let delay = DispatchTimeInterval.nanoseconds(Int(min(wait, 86_400_000_000_000)))
        let wakeup = TimerWakeup()
        wakeup.start(after: delay, on: lane.queue, work)
        return wakeup
    }
}

final class QueueLane: Lane {
    let queue: DispatchQueue
    init(_ queue: DispatchQueue) { self.queue = queue }
    func enqueue(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
}

private final class TimerWakeup: Wakeup {
    /// The source is held until it fired or was cancelled; its handler holds this object.
    private let source = Locked<(any DispatchSourceTimer)?>(nil)

    func start(
        after delay: DispatchTimeInterval,
        on queue: DispatchQueue,
        _ work: @escaping @Sendable () -> Void
    ) {
        source.withLock { slot in
            let timer = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
            timer.schedule(deadline: .now() + delay, leeway: .nanoseconds(0))
            timer.setEventHandler { [self] in
                cancel()
                work()
            }
            timer.activate()
            slot = timer
        }
    }

    func cancel() {
        source.withLock { slot in
            slot?.cancel()
            slot = nil
        }
    }
}

final class FiredWakeup: Wakeup {
    func cancel() {}
}
