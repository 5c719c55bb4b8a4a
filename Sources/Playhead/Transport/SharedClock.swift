package import Dispatch
package import MediaCore
import PlaybackEngine
import PlayheadBackend

/// One clock for several players, and the lanes and alarms that go by it. For those who own players and decide by time.
package final class SharedClock: Sendable {
    /// For the configuration of each player.
    package let mode: ClockMode
    private let driver: any Driver
    private let callbacks: any Lane

    /// `queue`: serial, and the callback queue of the players too, so that what runs there and what they tell has one
    /// order.
    package init(_ mode: ClockMode, queue: DispatchQueue) {
        driver = mode.makeDriver()
        // On the machine's clock, players share the threads in any case.
        if case .virtual = mode { self.mode = .driver(driver) } else { self.mode = mode }
        callbacks = driver.makeCallbackLane(queue)
    }

    /// The clock's reading.
    package var now: HostTime { driver.clock.now }

    /// Runs `work` on the queue, behind all that was handed in before.
    package func enqueue(_ work: @escaping @Sendable () -> Void) { callbacks.enqueue(work) }

    /// Runs `work` on the queue at `time`, unless the token goes before.
    package func schedule(at time: HostTime, _ work: @escaping @Sendable () -> Void) -> ObservationToken {
        let wakeup = driver.schedule(at: time, on: callbacks, work)
        return ObservationToken { wakeup.cancel() }
    }

    /// A lane of its own for calls to a sink, which may take their time.
    package func makeSinkLane() -> @Sendable (@escaping @Sendable () -> Void) -> Void {
        let lane = driver.makeLane(.presenting, label: "still")
        return { lane.enqueue($0) }
    }
}
