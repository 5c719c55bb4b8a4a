import Dispatch
import PlayheadCore
import Synchronization

/// Observes whether playback advances, for the service manager's watchdog and for `GET /health`.
///
/// It runs on the callback queue of the player: a queue that hangs is a fault as well, and then no sign of life is sent.
final class Health: Sendable {
    private struct State: Sendable {
        var monitor = ProgressMonitor()
        var problem: String?
        /// The time of the last sample, in nanoseconds.
        var sampledAt: UInt64 = 0
        /// The time of the last sign of life.
        var keptAliveAt = ContinuousClock.now
    }
    private let state = Mutex(State())
    /// Dispatch sources may be used from any thread, although their protocols are not declared `Sendable`.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer

    /// Begins to observe a session.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - manager: The service manager that expects signs of life, or nil.
    init(_ session: PlaySession, manager: ServiceManager?) {
        timer = DispatchSource.makeTimerSource(queue: session.player.callbackQueue)
        // The manager's documentation recommends half of the interval.
        let half = manager?.watchdogInterval.map { $0 / 2 } ?? .seconds(1)
        let interval = min(.seconds(1), half)
        state.withLock { $0.keptAliveAt = .now - half }
        timer.setEventHandler { [weak self, weak session] in
            guard let self, let session else { return }
            let problem = sample(session)
            manager?.setStatus(session.statusText(problem))
            let isDue = state.withLock { state in
                let now = ContinuousClock.now
                guard problem == nil, now - state.keptAliveAt >= half - interval / 2 else { return false }
                state.keptAliveAt = now
                return true
            }
            if isDue { manager?.keepAlive() }
        }
        let nanoseconds = Int(interval / .nanoseconds(1))
        timer.schedule(
            deadline: .now(),
            repeating: .nanoseconds(nanoseconds),
            leeway: .nanoseconds(nanoseconds / 10)
        )
        timer.activate()
    }

    deinit { timer.cancel() }

    /// The reason for which playback is not healthy, or nil.
    var problem: String? { state.withLock(\.problem) }

    private func sample(_ session: PlaySession) -> String? {
        let sample = session.progressSample
        let now = DispatchTime.now().uptimeNanoseconds
        return state.withLock { state in
            // A process that was suspended has not failed.
            if state.sampledAt > 0, now - state.sampledAt > 5_000_000_000 {
                state.monitor = ProgressMonitor()
            }
            state.sampledAt = now
            state.problem = state.monitor.update(sample, at: .nanoseconds(Int64(clamping: now)))
            return state.problem
        }
    }
}
