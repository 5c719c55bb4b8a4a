import MediaCore

/// Attaches the preceding and the following frame to each interlaced frame, for the layers that deinterlace it.
///
/// The frames keep their order. An interlaced frame is held until the following one arrives, or until the end of
/// the data. If no layer deinterlaces, or if no frame is interlaced, nothing is held or kept. Only frames that were
/// decoded without a flush between them are attached.
struct DeinterlaceContextBuilder {
    /// An interlaced frame that waits for the following frame.
    private var held: VideoFrame?
    /// The frame before `held`, or before the next frame if `held` is nil. It is nil while no frame has been
    /// interlaced.
    private var previous: VideoFrame?
    private var hasSeenInterlaced = false

    /// Returns the held frame with its context, or nil if there is none.
    ///
    /// - Parameter next: The frame that follows, or nil at the end of the data.
    mutating func release(before next: VideoFrame?) -> VideoFrame? {
        guard var frame = held else { return nil }
        held = nil
        frame.deinterlaceContext = DeinterlaceContext(previous: previous, next: next)
        previous = frame.withoutContext
        return frame
    }

    /// Adds a frame, after the held one has been released before it. Returns true if the frame is held, and false if
    /// it is to be delivered at once.
    mutating func hold(_ frame: VideoFrame, isWanted: Bool) -> Bool {
        if isWanted, frame.isInterlaced {
            hasSeenInterlaced = true
            held = frame
            return true
        }
        previous = isWanted && hasSeenInterlaced ? frame : nil
        return false
    }
}
