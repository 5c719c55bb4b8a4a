import MediaCore

/// A callback whose closure is set after the callback has been passed on.
///
/// The closure is kept in a struct. A bare closure in a generic container is wrapped again at each access, and the
/// wrappers accumulate.
final class SettableCallback: Sendable {
    private struct Call {
        let body: @Sendable () -> Void
    }
    private let target = Locked<Call?>(nil)

    func set(_ body: @escaping @Sendable () -> Void) { target.withLock { $0 = Call(body: body) } }

    /// Releases the closure. Later calls do nothing.
    func clear() { target.withLock { $0 = nil } }

    func callAsFunction() { target.withLock { $0 }?.body() }
}
