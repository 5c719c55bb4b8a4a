/// Whoever owns a frame's memory. Freed, or returned to the decoder's pool, when the last frame that
/// refers to it lets go. Immutable once made, so it may be read from any thread.
public protocol VideoFrameStorage: AnyObject, Sendable {
    /// Bytes held, for budgets.
    var byteCount: Int { get }
    /// Calls `body` with the planes, top row first. The pointers must not outlive the call.
    func withPlanes<R>(_ body: ([VideoPlane]) throws -> R) rethrows -> R
}
