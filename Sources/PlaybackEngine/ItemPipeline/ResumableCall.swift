import MediaCore
package import PlayheadBackend

/// One or more calls of a demuxer that may find no bytes. They are repeated on their lane when the demuxer reports
/// that bytes are available. No thread waits meanwhile.
///
/// The owner keeps a reference. After it is released, the call is not repeated.
package final class ResumableCall: Sendable {
    private let stage: CallStage
    private let runner: StageRunner

    /// Observes the demuxer's notices. `call` runs on `lane` and returns true if data is missing.
    package init(
        of demuxer: any Demuxer,
        on lane: any Lane,
        of driver: any Driver,
        _ call: @escaping @Sendable () -> Bool
    ) {
        let stage = CallStage(lane, driver, call)
        let runner = StageRunner(stage, on: lane, stepsPerTurn: 1)
        self.stage = stage
        self.runner = runner
        stage.wake.set { [weak runner] in runner?.wake() }
        stage.demuxerWakes = demuxer.setNoticeHandler { [weak runner] notice in
            if notice == .ready { runner?.wake() }
        }
    }

    /// Makes the call for the first time.
    package func begin() { runner.wake() }

    package func stop() { runner.stop() }
}

/// The stage that makes the call.
///
/// `@unchecked Sendable`: mutable state is set before the first step or confined to the lane.
private final class CallStage: Stage, @unchecked Sendable {
    let wake = SettableCallback()
    var demuxerWakes = false
    private let lane: any Lane
    private let driver: any Driver
    private let call: @Sendable () -> Bool
    private var isDone = false
    /// The interval in nanoseconds after which a demuxer is called again that does not report when bytes are
    /// available.
    private static let retryInterval: Int64 = 10_000_000

    init(_ lane: any Lane, _ driver: any Driver, _ call: @escaping @Sendable () -> Bool) {
        self.lane = lane
        self.driver = driver
        self.call = call
    }

    func step() -> StepResult {
        guard !isDone else { return .finished }
        guard call() else {
            isDone = true
            return .finished
        }
        // The wake-up need not be cancelled, because a call that is no longer needed is not repeated.
        if !demuxerWakes {
            _ = driver.schedule(at: driver.clock.now.advanced(by: Self.retryInterval), on: lane) { [wake] in
                wake()
            }
        }
        return .needsInput
    }
}
