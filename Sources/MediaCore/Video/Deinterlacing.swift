/// A policy for deinterlacing frames whose two fields are from different moments (`VideoFrame.isInterlaced`).
///
/// Deinterlacing interpolates the lines of the later field, so that the whole frame shows the moment of the earlier
/// field. The number of frames and their times do not change. Progressive frames are never changed.
public enum Deinterlacing: String, Hashable, Sendable, CaseIterable {
    /// No frame is deinterlaced.
    case none
    /// Frames for display are deinterlaced: still images, and frames that are laid out upright for a sink, because
    /// the layer has a size or the sink requests it (`VideoSink.appliesPreferredTrackTransform`). Sinks that receive
    /// unchanged frames receive interlaced ones.
    case auto
    /// All interlaced frames are deinterlaced, for every sink.
    case always
}

/// The frames before and after an interlaced frame in presentation order, and the deinterlaced frame once it has been
/// made from the three.
package final class DeinterlaceContext: Sendable {
    package let previous: VideoFrame?
    package let next: VideoFrame?
    private let made = Locked<VideoFrame?>(nil)

    package init(previous: VideoFrame?, next: VideoFrame?) {
        self.previous = previous?.withoutContext
        self.next = next?.withoutContext
    }

    /// The deinterlaced frame. It is stored without its own context, because otherwise frames would retain each other
    /// indefinitely.
    package var deinterlacedFrame: VideoFrame? {
        get { made.withLock { $0 } }
        set { made.withLock { $0 = newValue?.withoutContext } }
    }
}

extension VideoFrame {
    /// The frame without references to the frames around it, for storing it.
    package var withoutContext: VideoFrame {
        guard deinterlaceContext != nil else { return self }
        var frame = self
        frame.deinterlaceContext = nil
        return frame
    }
}
