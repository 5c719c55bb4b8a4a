import Synchronization

/// Calls its closure once, when it was ticked as often as it was made for.
package final class CompletionGroup: Sendable {
    private let left: Atomic<Int>
    private let done: @Sendable () -> Void

    package init(_ count: Int, _ done: @escaping @Sendable () -> Void) {
        left = Atomic(count)
        self.done = done
    }

    package func tick() {
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { done() }
    }
}
