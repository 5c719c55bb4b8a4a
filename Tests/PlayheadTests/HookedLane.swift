import PlayheadBackend

/// A lane that calls closures immediately before and after work is enqueued.
final class HookedLane: Lane {
    let inner: any Lane
    private let before: @Sendable () -> Void
    private let after: @Sendable () -> Void

    init(
        _ inner: any Lane,
        before: @escaping @Sendable () -> Void = {},
        after: @escaping @Sendable () -> Void = {}
    ) {
        self.inner = inner
        self.before = before
        self.after = after
    }

    func enqueue(_ work: @escaping @Sendable () -> Void) {
        before()
        inner.enqueue(work)
        after()
    }
}
