import MediaCore
import PlayheadBackend

/// The kind of a cue track. Each kind is read independently.
package enum CueKind: Hashable, Sendable {
    case subtitles, metadata
}
