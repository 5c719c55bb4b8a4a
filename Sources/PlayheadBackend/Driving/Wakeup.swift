import Dispatch
import MediaCore

/// Something that was scheduled and can be called off.
public protocol Wakeup: AnyObject, Sendable {
    /// After this the work does not start any more, unless it already has.
    func cancel()
}
