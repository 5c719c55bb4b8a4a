import Synchronization

/// A flag that only the first caller claims.
final class Once: Sendable {
    private let isClaimed = Atomic<Bool>(false)

    /// Returns true for the first call, and false for all others.
    func claim() -> Bool { !isClaimed.exchange(true, ordering: .acquiringAndReleasing) }
}
