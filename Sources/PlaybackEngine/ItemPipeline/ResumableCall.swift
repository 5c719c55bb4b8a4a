package import MediaCore
package import PlayheadBackend

/// One or more calls of a demuxer that may find no bytes. They are repeated on their lane when the demuxer reports
/// that bytes are available. No thread waits meanwhile.
///
/// The owner keeps a reference. After it is released, the call is not repeated.
package final class ResumableCall: Sendable {
    private let runner: StageRunner

    /// Observes the demuxer's notices. `call` runs on `lane` and returns `.pending` if it must be repeated.
    package init(
        of demuxer: any Demuxer,
        on lane: any Lane,
        _ call: @escaping @Sendable () -> Poll<Void>
    ) {
        let isDone = Locked(false)
        runner = StageRunner(on: lane, stepsPerTurn: 1) {
            guard !isDone.withLock({ $0 }) else { return .finished }
            guard case .ready = call() else { return .needsInput }
            isDone.withLock { $0 = true }
            return .finished
        }
        runner.wakes(for: demuxer)
    }

    /// Makes the call for the first time.
    package func begin() { runner.wake() }

    package func stop() { runner.stop() }
}
