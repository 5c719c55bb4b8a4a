import Synchronization

/// True for the first who asks.
final class Once: Sendable {
    private let isTaken = Atomic<Bool>(false)

    func take() -> Bool { !isTaken.exchange(true, ordering: .acquiringAndReleasing) }
}
