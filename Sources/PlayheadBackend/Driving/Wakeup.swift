import MediaCore

/// A handle to scheduled work that can be cancelled.
public protocol Wakeup: AnyObject, Sendable {
    /// Cancels the work, unless it has already started. Any thread.
    func cancel()
}
