package import MediaCore
import PlayheadBackend

/// Makes the output of a `TrackReader` of what is decoded. Calls are made one at a time, on the reader's lane.
package protocol TrackProcess<Element>: AnyObject, Sendable {
    associatedtype Element: Sendable
    /// Receives the next frame or buffer, or the end of the data.
    ///
    /// - Returns: Whether `next()` may have output.
    /// - Throws: `MediaError` if it cannot be converted.
    @discardableResult
    func receive(_ element: FrameElement) throws(MediaError) -> Bool
    /// Returns the next output, or nil if another element is needed.
    ///
    /// - Throws: `MediaError` if it cannot be converted.
    func next() throws(MediaError) -> Element?
    /// Returns the number of bytes that count against the limits of the output.
    func byteCount(of element: Element) -> Int
    /// Whether no further output follows, whatever is received.
    var isFinished: Bool { get }
}
