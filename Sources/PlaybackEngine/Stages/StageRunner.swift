import MediaCore
package import PlayheadBackend
import Synchronization

/// Runs the steps of a stage on its lane until it has nothing to do. `wake()` resumes it.
///
/// It is the only place where calls of a demuxer are repeated: after `.pending` a step returns `.needsInput`, and the
/// demuxer's notice wakes the runner. A wake-up during a step causes another step, so none is lost.
package final class StageRunner: Sendable {
    private let step: @Sendable () -> StepResult
    private let lane: any Lane
    private let isScheduled = Atomic<Bool>(false)
    private let isStopped = Atomic<Bool>(false)
    /// The number of steps per turn, so that stages that share a lane take turns.
    private let stepsPerTurn: Int

    package convenience init(_ stage: any Stage, on lane: any Lane, stepsPerTurn: Int = 16) {
        self.init(on: lane, stepsPerTurn: stepsPerTurn) { stage.step() }
    }

    package init(on lane: any Lane, stepsPerTurn: Int, step: @escaping @Sendable () -> StepResult) {
        self.step = step
        self.lane = lane
        self.stepsPerTurn = stepsPerTurn
    }

    /// Wakes the stage whenever a call of a demuxer is worth repeating.
    ///
    /// - Parameters:
    ///   - demuxer: The demuxer, whose notice handler is replaced.
    ///   - onWaiting: Called when a call waits for bytes on the demuxer's lane.
    package func wakes(
        for demuxer: any Demuxer,
        onWaiting: @escaping @Sendable () -> Void = {}
    ) {
        demuxer.setNoticeHandler { [weak self] notice in
            switch notice {
            case .ready: self?.wake()
            case .waiting: onWaiting()
            }
        }
    }

    /// Wakes the stage. Any thread. Calls while one is pending are merged.
    package func wake() {
        guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        lane.enqueue { [self] in run() }
    }

    /// Stops the stage after the step that is running. Any thread.
    package func stop() { isStopped.store(true, ordering: .releasing) }

    private func run() {
        isScheduled.store(false, ordering: .sequentiallyConsistent)
        for _ in 0..<stepsPerTurn {
            guard !isStopped.load(ordering: .acquiring), step() == .progressed else { return }
        }
        wake()
    }
}
