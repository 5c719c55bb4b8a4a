import MediaCore
import PlayheadBackend

/// Two kinds of cues, each read by itself.
package enum CueKind: Hashable, Sendable {
    case subtitles, metadata
}
