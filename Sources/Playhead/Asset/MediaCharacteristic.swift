import MediaCore
import PlaybackEngine

/// What a track is for.
public enum MediaCharacteristic: String, Hashable, Sendable, CaseIterable {
    /// Each of these three makes a group of options.
    case audible, visual, legible
    /// What is played where nobody chooses, as the container marks it.
    case isMainProgramContent
    /// In the language in which it was made.
    case isOriginalContent
    /// A commentary, or the like.
    case isAuxiliaryContent
    /// Spoken anew in another language.
    case dubbedTranslation
    /// Words that are shown even where subtitles are off, such as signs in another language.
    case containsOnlyForcedSubtitles
    /// Words for those who do not hear: what is spoken, and other sounds.
    case transcribesSpokenDialogForAccessibility
    /// A voice for those who do not see tells what is to be seen.
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
