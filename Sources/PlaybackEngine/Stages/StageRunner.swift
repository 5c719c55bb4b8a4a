package import PlayheadBackend
import Synchronization

/// Runs a stage on its lane until it has nothing to do; `wake()` makes it look again.
package final class StageRunner: Sendable {
    private let stage: any Stage
    private let lane: any Lane
    private let isScheduled = Atomic<Bool>(false)
    private let isStopped = Atomic<Bool>(false)
    /// Steps in one turn, so that stages that share a lane take turns.
    private let stepsPerTurn: Int

    package init(_ stage: any Stage, on lane: any Lane, stepsPerTurn: Int = 16) {
        self.stage = stage
        self.lane = lane
        self.stepsPerTurn = stepsPerTurn
    }

    /// From any thread. Wakes that come while one is pending are one.
    package func wake() {
        guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        lane.enqueue { [self] in run() }
    }

    /// From any thread. Nothing begins after the step that is under way.
    func stop() { isStopped.store(true, ordering: .releasing) }

    private func run() {
        isScheduled.store(false, ordering: .sequentiallyConsistent)
        for _ in 0..<stepsPerTurn {
            guard !isStopped.load(ordering: .acquiring), stage.step() == .progressed else { return }
        }
        wake()
    }
}
