package import Dispatch
package import MediaCore
package import PlayheadBackend
import Synchronization

/// The driver for a virtual clock in production. One lane of the process's pool runs the steps of a `SteppedDriver`
/// as fast as possible. While there is no work and no timer, nothing runs and no time passes.
package final class VirtualDriver: Driver {
    private let stepped: SteppedDriver
    private let pump: Pump
    /// The lane for computations outside the steps.
    private let computeLane = PoolLane(.output, pool: .shared)

    package init() {
        stepped = SteppedDriver()
        pump = Pump(stepped)
        stepped.setWorkHandler { [pump] in pump.wake() }
    }

    package var clock: any HostClock { stepped.clock }
    package var isRealTime: Bool { false }
    package var stopsTimeDuringReads: Bool { true }

    /// Calls `body` while no step begins and no time passes; see `SteppedDriver.hold(_:)`.
    package func hold<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result
    {
        try stepped.hold(body)
    }

    package func makeLane(_ role: LaneRole, label: String) -> any Lane {
        stepped.makeLane(role, label: label)
    }

    package func makeCallbackLane(_ queue: DispatchQueue) -> any Lane { stepped.makeCallbackLane(queue) }

    package func schedule(
        at time: HostTime,
        on lane: any Lane,
        _ work: @escaping @Sendable () -> Void
    ) -> any Wakeup {
        stepped.schedule(at: time, on: lane, work)
    }

    /// Runs `work` in parallel with the steps, one computation at a time. The step that waits for it has a fixed
    /// place among the others, so that the order of steps is the same in every run.
    package func compute(
        _ work: @escaping @Sendable () -> Void,
        on lane: any Lane,
        then next: @escaping @Sendable () -> Void
    ) {
        let isDone = DispatchSemaphore(value: 0)
        computeLane.enqueue {
            work()
            isDone.signal()
        }
        stepped.enqueueWaiting {
            isDone.wait()
            lane.enqueue(next)
        }
    }
}

private final class Pump: Sendable {
    /// The lane of the steps. They read and decode, so they may block, and they share the threads for such lanes.
    private let lane = PoolLane(.blockingIO, pool: .shared)
    /// The maximum duration of a turn, in nanoseconds.
    private static let turnDuration: Int64 = 5_000_000
    private let isScheduled = Atomic<Bool>(false)
    /// A weak reference, because the driver's work handler retains the pump and a strong one would be a cycle.
    private weak let driver: SteppedDriver?

    init(_ driver: SteppedDriver) { self.driver = driver }

    func wake() {
        guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        lane.enqueue { [self] in run() }
    }

    private func run() {
        // The flag stays set while the steps run, so that work that they create needs no new wake-up.
        guard let driver else { return }
        let end = PoolThread.now + Self.turnDuration
        repeat {
            while driver.step() || driver.advance() {
                guard PoolThread.now < end else {
                    lane.enqueue { [self] in run() }
                    return
                }
            }
            isScheduled.store(false, ordering: .sequentiallyConsistent)
            // Work may have arrived after the last step and before the flag was cleared.
        } while driver.hasWork && !isScheduled.exchange(true, ordering: .sequentiallyConsistent)
    }
}
