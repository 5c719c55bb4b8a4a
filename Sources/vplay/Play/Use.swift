import Playhead
import Synchronization

/// Whether a sink was given anything.
final class Use: Sendable {
    private let flag = Atomic<Bool>(false)

    var isNoted: Bool { flag.load(ordering: .acquiring) }
    func note() { flag.store(true, ordering: .releasing) }
}
