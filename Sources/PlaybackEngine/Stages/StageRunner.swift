package import PlayheadBackend
import Synchronization

/// Runs a stage on its lane until it has nothing to do. `wake()` resumes it.
package final class StageRunner: Sendable {
    private let stage: any Stage
    private let lane: any Lane
    private let isScheduled = Atomic<Bool>(false)
    private let isStopped = Atomic<Bool>(false)
    /// The number of steps per turn, so that stages that share a lane take turns.
    private let stepsPerTurn: Int

    package init(_ stage: any Stage, on lane: any Lane, stepsPerTurn: Int = 16) {
        self.stage = stage
        self.lane = lane
        self.stepsPerTurn = stepsPerTurn
    }

    /// Wakes the stage. Any thread. Calls while one is pending are merged.
    package func wake() {
        guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        lane.enqueue { [self] in run() }
    }

    /// Stops the stage after the step that is running. Any thread.
    func stop() { isStopped.store(true, ordering: .releasing) }

    private func run() {
        isScheduled.store(false, ordering: .sequentiallyConsistent)
        for _ in 0..<stepsPerTurn {
            guard !isStopped.load(ordering: .acquiring), stage.step() == .progressed else { return }
        }
        wake()
    }
}
