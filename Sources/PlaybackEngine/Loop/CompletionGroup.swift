import Synchronization

/// Calls its closure once, after `leave` has been called as often as the group's count.
package final class CompletionGroup: Sendable {
    private let remaining: Atomic<Int>
    private let completion: @Sendable () -> Void

    package init(_ count: Int, _ completion: @escaping @Sendable () -> Void) {
        remaining = Atomic(count)
        self.completion = completion
    }

    package func leave() {
        if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { completion() }
    }
}
