import Synchronization

/// Runs asynchronous closures one after another, in the order in which they are added.
final class TaskSequence: Sendable {
    private let last = Mutex<Task<Void, Never>?>(nil)

    /// Adds a closure, which runs after the earlier ones have returned.
    func add(_ body: @escaping @Sendable () async -> Void) {
        last.withLock { last in
            let previous = last
            last = Task {
                await previous?.value
                await body()
            }
        }
    }
}
