/// A method that is called with an argument, such as a notification, in place of Objective-C's selectors.
///
/// `Selector(Controller.didPlayToEnd(_:))` replaces `#selector(didPlayToEnd(_:))`. It contains the method and no object.
/// A result of the method is discarded. A call with an argument of another type than the method's is logged.
public struct Selector: Sendable {
    let call: @Sendable (_ object: AnyObject, _ argument: Any?) -> Void

    /// Creates a selector of a method with one parameter. It is called on the thread that calls it, such as the one that
    /// posts a notification.
    ///
    /// - Parameter method: The method, as in `Controller.didPlayToEnd(_:)`.
    @preconcurrency
    public init<Object: AnyObject, Argument, Result>(
        _ method: @escaping @Sendable (Object) -> (Argument) -> Result
    ) {
        call = { object, argument in
            guard let object = Self.object(object, as: Object.self),
                let argument = Self.argument(argument, as: Argument.self)
            else { return }
            _ = method(object)(argument)
        }
    }

    /// Creates a selector of a method without parameters. It is called on the thread that calls it.
    ///
    /// - Parameter method: The method.
    @preconcurrency
    public init<Object: AnyObject, Result>(_ method: @escaping @Sendable (Object) -> () -> Result) {
        call = { object, _ in
            guard let object = Self.object(object, as: Object.self) else { return }
            _ = method(object)()
        }
    }

    /// Creates a selector of a method of the main actor with one parameter. A call elsewhere than on the main queue is made
    /// there later.
    ///
    /// - Parameter method: The method, as in `Controller.didPlayToEnd(_:)`.
    public init<Object: AnyObject & Sendable, Argument, Result>(
        _ method: @escaping @Sendable (Object) -> @MainActor (Argument) -> Result
    ) {
        call = { object, argument in
            guard let object = Self.object(object, as: Object.self),
                let argument = Self.argument(argument, as: Argument.self)
            else { return }
            // A notification is immutable, and the other arguments belong to the main actor as the method does.
            nonisolated(unsafe) let value = argument
            MainQueue.run { _ = method(object)(value) }
        }
    }

    /// Creates a selector of a method of the main actor without parameters. A call elsewhere than on the main queue is made
    /// there later.
    ///
    /// - Parameter method: The method.
    public init<Object: AnyObject & Sendable, Result>(
        _ method: @escaping @Sendable (Object) -> @MainActor () -> Result
    ) {
        call = { object, _ in
            guard let object = Self.object(object, as: Object.self) else { return }
            MainQueue.run { _ = method(object)() }
        }
    }

    private static func object<Object>(_ object: AnyObject, as type: Object.Type) -> Object? {
        if let object = object as? Object { return object }
        Misuse.report("a method of \(type) was selected, and called with \(Swift.type(of: object))")
        return nil
    }

    private static func argument<Argument>(_ argument: Any?, as type: Argument.Type) -> Argument? {
        if let argument = (argument as Any) as? Argument { return argument }
        Misuse.report(
            "a selected method has a parameter of type \(type), and was called with \(argument ?? "nil")"
        )
        return nil
    }
}
