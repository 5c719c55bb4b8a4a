/// The memory of a frame.
///
/// It is freed, or returned to the decoder's pool, when the last frame that refers to it is released. It is
/// immutable, so it may be read on any thread.
public protocol VideoFrameStorage: AnyObject, Sendable {
    /// The number of bytes in memory, for budgets.
    var byteCount: Int { get }
    /// Calls a closure with the planes, with the top row first.
    ///
    /// - Parameter body: Receives the planes. Their pointers are valid during the call only.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    func withPlanes<R>(_ body: ([VideoPlane]) throws -> R) rethrows -> R
}
