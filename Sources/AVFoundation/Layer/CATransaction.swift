public import Foundation

/// A group of changes of layers. Each change takes effect at once and is not animated, so a transaction has no effect
/// besides calling its completion block.
///
/// As on Apple's platforms, each thread has its own transactions, which can be nested. `begin()` and `commit()` of a
/// transaction are called on the same thread, without an `await` in between.
public final class CATransaction: NSObject {
    /// The open transactions of a thread, the innermost last.
    private final class Stack: NSObject {
        var transactions: [CATransaction] = []
    }

    private static let key = "Playhead.CATransaction"
    private static let usualDuration = 0.25
    private var hasNoActions: Bool
    private var duration: CFTimeInterval
    private var completion: (() -> Void)?

    /// Creates a transaction that inherits the settings of another one.
    private init(inside outer: CATransaction?) {
        hasNoActions = outer?.hasNoActions ?? false
        duration = outer?.duration ?? Self.usualDuration
        super.init()
    }

    private static var stack: Stack {
        let dictionary = Thread.current.threadDictionary
        if let stack = dictionary[key] as? Stack { return stack }
        let stack = Stack()
        dictionary[key] = stack
        return stack
    }

    /// Begins a transaction inside the current one.
    public class func begin() {
        let stack = stack
        stack.transactions.append(CATransaction(inside: stack.transactions.last))
    }

    /// Ends the transaction that was begun last, and calls its completion block. Has no effect without a transaction.
    public class func commit() { call(stack.transactions.popLast()?.completion) }

    /// Has no effect: changes take effect at once.
    public class func flush() {}

    /// Returns whether changes are not animated by the settings of the transaction.
    ///
    /// - Returns: The value that was set; false by default. Changes are never animated.
    public class func disableActions() -> Bool { stack.transactions.last?.hasNoActions ?? false }

    /// Stores whether changes are not animated. Has no effect.
    ///
    /// - Parameter flag: Whether changes are not animated.
    public class func setDisableActions(_ flag: Bool) { stack.transactions.last?.hasNoActions = flag }

    /// Returns the duration of animations.
    ///
    /// - Returns: The duration in seconds that was set; 0.25 by default.
    public class func animationDuration() -> CFTimeInterval {
        stack.transactions.last?.duration ?? usualDuration
    }

    /// Stores the duration of animations. Has no effect.
    ///
    /// - Parameter dur: The duration in seconds.
    public class func setAnimationDuration(_ dur: CFTimeInterval) { stack.transactions.last?.duration = dur }

    /// Sets the block that is called when the transaction ends. A block that was set before is called at once.
    ///
    /// - Parameter block: Called on the main queue: at once if `commit()` is called there. Without a transaction it is
    ///   called later.
    public class func setCompletionBlock(_ block: (() -> Void)?) {
        if let transaction = stack.transactions.last {
            // The former block may set another one.
            let replaced = transaction.completion
            transaction.completion = block
            call(replaced)
        } else if let block {
            // The block belongs to the main queue from here on.
            nonisolated(unsafe) let block = block
            DispatchQueue.main.async { block() }
        }
    }

    private class func call(_ completion: (() -> Void)?) {
        guard let completion else { return }
        // The block belongs to the main queue from here on.
        nonisolated(unsafe) let block = completion
        MainQueue.run { block() }
    }
}
