package import Dispatch
package import MediaCore
import PlaybackEngine
import PlayheadBackend

/// A clock for several players, with lanes and timers for their owner.
package final class SharedClock: Sendable {
    /// The clock mode for the configuration of each player.
    package let mode: ClockMode
    private let driver: any Driver
    private let callbacks: any Lane

    /// Creates a clock.
    ///
    /// - Parameters:
    ///   - mode: The clock mode.
    ///   - queue: A serial queue, which is also the callback queue of the players. The owner's work and the players'
    ///     callbacks therefore have one order.
    package init(_ mode: ClockMode, queue: DispatchQueue) {
        driver = mode.makeDriver()
        // In real time, players share the thread pool in any case.
        if case .virtual = mode { self.mode = .driver(driver) } else { self.mode = mode }
        callbacks = driver.makeCallbackLane(queue)
    }

    /// The present time of the clock.
    package var now: HostTime { driver.clock.now }

    /// Runs `work` on the queue, after everything that was enqueued before.
    package func enqueue(_ work: @escaping @Sendable () -> Void) { callbacks.enqueue(work) }

    /// Runs `work` on the queue at a time, unless the token is released before.
    package func schedule(at time: HostTime, _ work: @escaping @Sendable () -> Void) -> ObservationToken {
        let wakeup = driver.schedule(at: time, on: callbacks, work)
        return ObservationToken { wakeup.cancel() }
    }

    /// Creates a lane for calls to a sink, which may block.
    package func makeSinkLane() -> @Sendable (@escaping @Sendable () -> Void) -> Void {
        let lane = driver.makeLane(.output, label: "still")
        return { lane.enqueue($0) }
    }
}
