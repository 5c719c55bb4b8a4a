package import MediaCore
package import PlayheadBackend

/// Delivers every frame, or those that are due at regular times, in one shape.
///
/// `@unchecked Sendable`: confined to the reader's lane.
package final class FrameProcess: TrackProcess, @unchecked Sendable {
    private let shape: FrameShape
    private let converter: any VideoConverter
    private var selector: FrameRateSelector?
    private var pending: (frame: VideoFrame, count: Int)?
    /// The pending frame in its shape.
    private var shaped: VideoFrame?

    /// Creates a process.
    ///
    /// - Parameters:
    ///   - shape: The shape of the output.
    ///   - converter: The converter that makes it.
    ///   - selector: Selects the frames that are due at regular times. Nil selects every frame once.
    package init(_ shape: FrameShape, _ converter: any VideoConverter, selector: FrameRateSelector? = nil) {
        self.shape = shape
        self.converter = converter
        self.selector = selector
    }

    package func receive(_ element: FrameElement) throws(MediaError) -> Bool {
        shaped = nil
        switch element {
        case .video(let frame):
            if selector == nil {
                pending = (frame, 1)
            } else {
                pending = selector?.receive(frame)
            }
        case .endOfPass(_, let end, _):
            // The end may have been rounded up by a nanosecond. At the exact end no frame is due.
            pending = selector?.finish(at: end.map { MediaTime(nanoseconds: $0 &- 1) })
        case .audio: return false
        }
        return pending != nil
    }

    package func next() throws(MediaError) -> VideoFrame? {
        guard let (frame, count) = pending, count > 0 else {
            pending = nil
            return nil
        }
        let result = if let shaped { shaped } else { try shape.apply(to: frame, with: converter) }
        pending = count > 1 ? (frame, count - 1) : nil
        shaped = count > 1 ? result : nil
        return result
    }

    package func byteCount(of element: VideoFrame) -> Int { element.storage.byteCount }

    package var isFinished: Bool { pending == nil && selector?.isFinished ?? false }
}
