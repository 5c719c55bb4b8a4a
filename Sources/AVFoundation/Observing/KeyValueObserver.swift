public import Foundation

/// A base class for objects that observe properties by string.
///
/// `override func observeValue` requires a superclass that declares it, which `NSObject` on Linux does not. With
/// `typealias NSObject = KeyValueObserver` in its module, code that is written for Apple's `NSObject` compiles unchanged.
open class KeyValueObserver: NSObject, NSKeyValueObserving {
    /// Creates an object.
    public override init() { super.init() }

    /// Receives a change of an observed property. This implementation does nothing; Apple's raises an exception.
    ///
    /// - Parameters:
    ///   - keyPath: The string that was passed to `addObserver(_:forKeyPath:options:context:)`.
    ///   - object: The observed object.
    ///   - change: The values that the options request.
    ///   - context: The pointer that was passed to `addObserver(_:forKeyPath:options:context:)`.
    @MainActor
    open func observeValue(
        forKeyPath keyPath: String?,
        of object: Any?,
        change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {}
}
