package import Dispatch
package import MediaCore
package import PlayheadBackend
import Synchronization

/// The virtual clock in production: one lane of the process's pool takes the steps of a `SteppedDriver` as fast as
/// they come. Nothing runs, and no time passes, while nobody waits for anything.
package final class VirtualDriver: Driver {
    private let stepped: SteppedDriver
    private let pump: Pump
    /// Computes beside the steps.
    private let computeLane = PoolLane(.output, pool: .shared)

    package init() {
        stepped = SteppedDriver()
        pump = Pump(stepped)
        stepped.setWorkHandler { [pump] in pump.wake() }
    }

    package var clock: any HostClock { stepped.clock }
    package var isRealTime: Bool { false }

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

    /// Beside the steps, one at a time. The step that waits for it has its place among the others, so that the order of
    /// steps is the same in every run.
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
    /// Reads and decodes: it may block, and it gives way to others of its kind.
    private let lane = PoolLane(.blockingIO, pool: .shared)
    /// Nanoseconds of one turn.
    private static let turnDuration: Int64 = 5_000_000
    private let isScheduled = Atomic<Bool>(false)
    /// Weak by design: the driver's work handler holds the pump, so a strong reference would be a cycle.
    private let driver: WeakBox<SteppedDriver>

    init(_ driver: SteppedDriver) { self.driver = WeakBox(driver) }

    func wake() {
        guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        lane.enqueue { [self] in run() }
    }

    private func run() {
        // The flag stays up while running, so that work made by the work itself costs no new wake-up.
        guard let driver = driver.value else { return }
        let end = PoolThread.now + Self.turnDuration
        repeat {
            while driver.step() || driver.advance() {
                guard PoolThread.now < end else {
                    lane.enqueue { [self] in run() }
                    return
                }
            }
            isScheduled.store(false, ordering: .sequentiallyConsistent)
            // Something may have come between the last look and the flag going down.
        } while driver.hasWork && !isScheduled.exchange(true, ordering: .sequentiallyConsistent)
    }
}
