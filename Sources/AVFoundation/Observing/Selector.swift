public import Foundation

/// A method that is called with a notification, in place of Objective-C's selectors.
///
/// `Selector(Controller.didPlayToEnd(_:))` replaces `#selector(didPlayToEnd(_:))`. It contains the method and no object.
public struct Selector: Sendable {
    let call: @Sendable (_ object: AnyObject, _ notification: Notification) -> Void

    /// Creates a selector of a method with the notification as parameter. It is called on the thread that posts.
    ///
    /// - Parameter method: The method, as in `Controller.didPlayToEnd(_:)`.
    @preconcurrency
    public init<Object: AnyObject>(_ method: @escaping @Sendable (Object) -> (Notification) -> Void) {
        call = { object, notification in
            if let object = object as? Object { method(object)(notification) }
        }
    }

    /// Creates a selector of a method without parameters. It is called on the thread that posts.
    ///
    /// - Parameter method: The method.
    @preconcurrency
    public init<Object: AnyObject>(_ method: @escaping @Sendable (Object) -> () -> Void) {
        call = { object, _ in
            if let object = object as? Object { method(object)() }
        }
    }

    /// Creates a selector of a method of the main actor with the notification as parameter. If the notification is not posted
    /// on the main queue, it is called there later.
    ///
    /// - Parameter method: The method, as in `Controller.didPlayToEnd(_:)`.
    public init<Object: AnyObject & Sendable>(
        _ method: @escaping @Sendable (Object) -> @MainActor (Notification) -> Void
    ) {
        call = { object, notification in
            guard let object = object as? Object else { return }
            // A notification is immutable.
            nonisolated(unsafe) let notification = notification
            MainQueue.run { method(object)(notification) }
        }
    }

    /// Creates a selector of a method of the main actor without parameters. If the notification is not posted on
    /// the main queue, it is called there later.
    ///
    /// - Parameter method: The method.
    public init<Object: AnyObject & Sendable>(
        _ method: @escaping @Sendable (Object) -> @MainActor () -> Void
    ) {
        call = { object, _ in
            guard let object = object as? Object else { return }
            MainQueue.run { method(object)() }
        }
    }
}
