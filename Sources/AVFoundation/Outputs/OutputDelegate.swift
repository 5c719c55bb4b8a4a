import Dispatch

/// The delegate of an output and its queue, as they were set.
///
/// `@unchecked Sendable`: the object is used on the queue only.
struct OutputDelegate: @unchecked Sendable {
    /// The delegate, which is not retained.
    weak var object: AnyObject?
    var queue: DispatchQueue?
}
