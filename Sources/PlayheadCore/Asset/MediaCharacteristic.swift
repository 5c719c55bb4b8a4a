import MediaCore
import PlaybackEngine

/// The purpose of a track.
public enum MediaCharacteristic: String, Hashable, Sendable, CaseIterable {
    /// Audio, video and subtitles: the characteristics that have a media selection group.
    case audible, visual, legible
    /// The track that the container marks as the default.
    case isMainProgramContent
    /// The track is in the original language.
    case isOriginalContent
    /// The track is auxiliary, for example a commentary.
    case isAuxiliaryContent
    /// The track is dubbed in another language.
    case dubbedTranslation
    /// The track contains forced subtitles: text that is shown even if subtitles are off, such as translated signs.
    case containsOnlyForcedSubtitles
    /// The track transcribes speech and other sounds for people who cannot hear them.
    case transcribesSpokenDialogForAccessibility
    /// The track is an audio description for people who cannot see the video.
    case describesVideoForAccessibility

    var mediaType: MediaType? {
        switch self {
        case .audible: .audio
        case .visual: .video
        case .legible: .subtitle
        default: nil
        }
    }
}
