import Playhead
import Synchronization

/// A flag that records whether a sink has received any data.
final class UsageFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    var isSet: Bool { flag.load(ordering: .acquiring) }
    func set() { flag.store(true, ordering: .releasing) }
}
