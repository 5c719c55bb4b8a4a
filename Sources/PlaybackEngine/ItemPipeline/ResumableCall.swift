import MediaCore
package import PlayheadBackend

/// A call of a demuxer, or several, that may find no bytes at hand: made again on its lane when the demuxer says that
/// there are some, and no thread waits meanwhile.
///
/// Whoever began it holds it, and lets go of it to have it made no more.
package final class ResumableCall: Sendable {
    private let stage: CallStage
    private let runner: StageRunner

    /// Listens to the demuxer's notices. `call` runs on `lane`; true: it found nothing at hand.
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

/// `@unchecked Sendable`: what changes is set before the first step, or confined to the lane.
private final class CallStage: Stage, @unchecked Sendable {
    let wake = SettableCallback()
    var demuxerWakes = false
    private let lane: any Lane
    private let driver: any Driver
    private let call: @Sendable () -> Bool
    private var isDone = false
    /// Nanoseconds until a demuxer is asked again that does not say when it is worth it.
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
        // Nobody calls it off: a call that is not wanted any more is not made again.
        if !demuxerWakes {
            _ = driver.schedule(at: driver.clock.now.advanced(by: Self.retryInterval), on: lane) { [wake] in
                wake()
            }
        }
        return .needsInput
    }
}
