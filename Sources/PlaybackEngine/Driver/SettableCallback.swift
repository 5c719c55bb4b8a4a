import MediaCore

/// A closure that is known later than the place that calls it.
///
/// The closure is kept in a struct: a bare closure in a generic container is wrapped anew at each access, and
/// the wrappers pile up.
final class SettableCallback: Sendable {
    private struct Call {
        let body: @Sendable () -> Void
    }
    private let target = Locked<Call?>(nil)

    func set(_ body: @escaping @Sendable () -> Void) { target.withLock { $0 = Call(body: body) } }

    /// Lets go of the closure; calls do nothing from here on.
    func clear() { target.withLock { $0 = nil } }

    func callAsFunction() { target.withLock { $0 }?.body() }
}
