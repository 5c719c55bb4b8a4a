/// Which frames whose lines are of two moments (`VideoFrame.isInterlaced`) are made whole: the lines of the later moment are
/// made anew, so that all of the frame is of the earlier one. There are as many frames as before, at the same times;
/// frames that are not interlaced are not touched.
public enum Deinterlacing: String, Hashable, Sendable, CaseIterable {
    /// None: they are handed out as they were decoded.
    case none
    /// Those that are to be looked at: still images, and what is laid out upright for a sink, because the layer has a size or
    /// the sink asks for it (`VideoSink.appliesPreferredTrackTransform`). Sinks that get untouched frames get interlaced ones.
    case auto
    /// All, whatever the sink.
    case always
}

/// The frames around an interlaced one, in order of presentation, and the whole frame that was made of the three.
package final class DeinterlaceContext: Sendable {
    package let previous: VideoFrame?
    package let next: VideoFrame?
    private let made = Locked<VideoFrame?>(nil)

    package init(previous: VideoFrame?, next: VideoFrame?) {
        self.previous = previous?.withoutContext
        self.next = next?.withoutContext
    }

    /// A frame that knows its neighbours would hold them, and they it, for ever.
    package var whole: VideoFrame? {
        get { made.withLock { $0 } }
        set { made.withLock { $0 = newValue?.withoutContext } }
    }
}

extension VideoFrame {
    /// For whoever keeps it: the frames around it are not kept with it.
    package var withoutContext: VideoFrame {
        guard neighbours != nil else { return self }
        var frame = self
        frame.neighbours = nil
        return frame
    }
}
