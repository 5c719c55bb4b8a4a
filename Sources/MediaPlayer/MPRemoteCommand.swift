public import Foundation

/// A command of a remote control. Its handlers are stored and never called: no remote control is connected.
///
/// All members may be used from any thread.
///
/// `@unchecked Sendable`: the lock guards the stored values.
open class MPRemoteCommand: NSObject, @unchecked Sendable {
    /// The token of a handler.
    private final class Target: NSObject {}

    private let lock = NSLock()
    private var isOn = true
    private var handlers:
        [(target: Target, handler: (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus)] = []

    override init() { super.init() }

    /// A Boolean value that indicates whether the command is offered. Has no effect.
    open var isEnabled: Bool {
        get { lock.withLock { isOn } }
        set { lock.withLock { isOn = newValue } }
    }

    /// The number of handlers.
    var handlerCount: Int { lock.withLock { handlers.count } }

    /// Stores a handler, which is never called.
    ///
    /// - Parameter handler: The handler.
    /// - Returns: The target for `removeTarget(_:)`.
    @discardableResult
    open func addTarget(
        handler: @escaping (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus
    ) -> Any {
        let target = Target()
        lock.withLock { handlers.append((target, handler)) }
        return target
    }

    /// Removes a handler, or all of them.
    ///
    /// - Parameter target: The target that was returned when the handler was added, or nil for all.
    open func removeTarget(_ target: Any?) {
        // The handlers are released outside the lock.
        let removed = lock.withLock {
            defer {
                if let target {
                    handlers.removeAll { $0.target === target as AnyObject }
                } else {
                    handlers = []
                }
            }
            return handlers
        }
        withExtendedLifetime(removed) {}
    }
}
