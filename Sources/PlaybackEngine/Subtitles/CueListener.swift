package import MediaCore
import PlayheadBackend

/// Somebody who is told of cues as they come due, on the control lane.
package struct CueListener: Sendable {
    package enum Notice: Sendable {
        /// A jump: what was told is no longer due.
        case flushed
        /// These come due at the item time.
        case due([TextCue], at: MediaTime)
    }

    package var id: ObjectIdentifier
    /// Nanoseconds by which cues are told ahead.
    package var advance: Int64
    package var receive: @Sendable (Notice) -> Void

    package init(id: ObjectIdentifier, advance: Int64, receive: @escaping @Sendable (Notice) -> Void) {
        self.id = id
        self.advance = max(0, advance)
        self.receive = receive
    }
}
