import PlaybackEngine
import Synchronization

/// Takes the steps of a manual driver, for the test or by itself.
final class Stepper: Sendable {
    private let stepped: SteppedDriver
    private let isRealTime: Bool
    /// Steps under way: work that comes up in one is done behind it, by whoever took it.
    private let depth = Atomic<Int>(0)
    private let isSettling = Atomic<Bool>(false)
    /// Something has come up since settling last began.
    private let hasNews = Atomic<Bool>(false)

    init(_ stepped: SteppedDriver, isRealTime: Bool) {
        self.stepped = stepped
        self.isRealTime = isRealTime
    }

    func step() -> Bool {
        depth.add(1, ordering: .sequentiallyConsistent)
        defer { depth.subtract(1, ordering: .sequentiallyConsistent) }
        // Where decoding takes time, alarms ring meanwhile.
        if isRealTime { stepped.fireDue() }
        return stepped.step()
    }

    /// Everything that can be done, where it was not a step that made it possible.
    func settleFromOutside() {
        hasNews.store(true, ordering: .sequentiallyConsistent)
        while depth.load(ordering: .sequentiallyConsistent) == 0,
            hasNews.load(ordering: .sequentiallyConsistent),
            !isSettling.exchange(true, ordering: .sequentiallyConsistent)
        {
            hasNews.store(false, ordering: .sequentiallyConsistent)
            while step() {}
            isSettling.store(false, ordering: .sequentiallyConsistent)
        }
    }
}
