import PlaybackEngine
import Synchronization

/// The step loop of a manual driver. It runs on request of the test, or automatically.
final class Stepper: Sendable {
    private let stepped: SteppedDriver
    private let isRealTime: Bool
    /// The number of steps in progress. Work that a step makes possible is done by the loop that runs the step.
    private let depth = Atomic<Int>(0)
    private let isSettling = Atomic<Bool>(false)
    /// Whether work has been added since the current automatic run began.
    private let hasNewWork = Atomic<Bool>(false)

    init(_ stepped: SteppedDriver, isRealTime: Bool) {
        self.stepped = stepped
        self.isRealTime = isRealTime
    }

    func step() -> Bool {
        depth.add(1, ordering: .sequentiallyConsistent)
        defer { depth.subtract(1, ordering: .sequentiallyConsistent) }
        // With real time, decoding takes time, so timers can become due between steps.
        if isRealTime { stepped.fireDue() }
        return stepped.step()
    }

    /// Runs everything that can be done, unless the work was added by a step.
    func settleFromOutside() {
        hasNewWork.store(true, ordering: .sequentiallyConsistent)
        while depth.load(ordering: .sequentiallyConsistent) == 0,
            hasNewWork.load(ordering: .sequentiallyConsistent),
            !isSettling.exchange(true, ordering: .sequentiallyConsistent)
        {
            hasNewWork.store(false, ordering: .sequentiallyConsistent)
            while step() {}
            isSettling.store(false, ordering: .sequentiallyConsistent)
        }
    }
}
