/// An object that is called for changes of properties that it observes by string.
///
/// Foundation on Linux has no such method, so `NSObject` cannot be overridden. `KeyValueObserver` is a base class that has
/// it; `AVPlayer`, `AVPlayerItem` and `CALayer` have it for their subclasses, and any other class can conform to this
/// protocol.
public protocol NSKeyValueObserving: AnyObject {
    /// Receives a change.
    ///
    /// - Parameters:
    ///   - keyPath: The string that was passed to `addObserver(_:forKeyPath:options:context:)`.
    ///   - object: The observed object.
    ///   - change: The values that the options request.
    ///   - context: The pointer that was passed to `addObserver(_:forKeyPath:options:context:)`.
    @MainActor
    func observeValue(
        forKeyPath keyPath: String?,
        of object: Any?,
        change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    )
}
