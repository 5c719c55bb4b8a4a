package import MediaCore
import PlayheadBackend

/// A listener that receives cues as they come due, on the control lane.
package struct CueListener: Sendable {
    package enum Notice: Sendable {
        /// The playback position has jumped, and the delivered cues are no longer due.
        case flushed
        /// Cues that come due at an item time.
        case due([TextCue], at: MediaTime)
        /// Delivered cues that are over at an item time. Only listeners with `reportsEnds` receive the notice.
        case ended([TextCue], at: MediaTime)
    }

    package var id: ObjectIdentifier
    /// The time by which cues are delivered before they are due, in nanoseconds.
    package var advance: Int64
    /// Whether the ends of cues are reported, by `advance` before they come.
    package var reportsEnds: Bool
    /// Whether layers draw no subtitles, because the listener's owner shows them.
    package var suppressesRendering: Bool
    package var receive: @Sendable (Notice) -> Void

    package init(
        id: ObjectIdentifier,
        advance: Int64,
        reportsEnds: Bool = false,
        suppressesRendering: Bool = false,
        receive: @escaping @Sendable (Notice) -> Void
    ) {
        self.id = id
        self.advance = max(0, advance)
        self.reportsEnds = reportsEnds
        self.suppressesRendering = suppressesRendering
        self.receive = receive
    }
}
