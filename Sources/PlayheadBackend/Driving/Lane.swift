import Dispatch
import MediaCore

/// Runs closures one at a time, in the order in which they were handed in.
public protocol Lane: AnyObject, Sendable {
    /// Runs `work` behind all that was handed in before. Returns at once; any thread.
    func enqueue(_ work: @escaping @Sendable () -> Void)
}
