public import Foundation

/// A base class for objects that observe properties by string, or have observable properties themselves.
///
/// `override func observeValue` requires a superclass that declares it, which `NSObject` on Linux does not. With
/// `typealias NSObject = KeyValueObserver` in its module, code that is written for Apple's `NSObject` compiles unchanged.
///
/// The properties of a subclass that are marked with `@KeyValueObservable` can be observed by key path and by string, and the
/// others by string as a part of a path, as in `player.currentItem.status`. Computed properties have no string.
open class KeyValueObserver: NSObject, NSKeyValueObserving {
    /// The observers of the properties of this object.
    let changeHandlers = ChangeHandlers()
    let keyValueRegistrations = KeyValueRegistrations()

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
