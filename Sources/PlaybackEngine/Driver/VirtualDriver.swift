package import Dispatch
package import MediaCore
import Synchronization

/// The virtual clock in production: one dispatch queue takes the steps of a `SteppedDriver` as fast as they
/// come. Nothing runs, and no time passes, while nobody waits for anything.
package final class VirtualDriver: Driver {
    private let stepped: SteppedDriver
    private let pump: Pump

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
}

private final class Pump: Sendable {
    private let queue = DispatchQueue(label: "playhead.virtual", qos: .userInitiated)
    private let isScheduled = Atomic<Bool>(false)
    /// Weak by design: the driver's work handler holds the pump, so a strong reference would be a cycle.
    private let driver: WeakBox<SteppedDriver>

    init(_ driver: SteppedDriver) { self.driver = WeakBox(driver) }

    func wake() {
        guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        queue.async { [self] in
            // The flag stays up while running, so that work made by the work itself costs no new dispatch.
            guard let driver = driver.value else { return }
            repeat {
                while driver.step() || driver.advance() {}
                isScheduled.store(false, ordering: .sequentiallyConsistent)
                // Something may have come between the last look and the flag going down.
            } while driver.hasWork && !isScheduled.exchange(true, ordering: .sequentiallyConsistent)
        }
    }
}

final class WeakBox<T: AnyObject & Sendable>: Sendable {
    private let box: Locked<Weak>
    private struct Weak { weak var value: T? }
    init(_ value: T) { box = Locked(Weak(value: value)) }
    var value: T? { box.withLock { $0.value } }
}
