import MediaCore
import Playhead

extension AVMediaCharacteristic {
    /// The track is a part of the main program, as each is that is not auxiliary.
    public static let isMainProgramContent = AVMediaCharacteristic(
        rawValue: "public.main-program-content"
    )
    /// The track is auxiliary, for example a commentary.
    public static let isAuxiliaryContent = AVMediaCharacteristic(rawValue: "public.auxiliary-content")
    /// The track is in the original language.
    public static let isOriginalContent = AVMediaCharacteristic(rawValue: "public.original-content")
    /// Text that is shown even if subtitles are off.
    public static let containsOnlyForcedSubtitles = AVMediaCharacteristic(
        rawValue: "public.subtitles.forced-only"
    )
    /// The track transcribes speech for people who cannot hear it.
    public static let transcribesSpokenDialogForAccessibility = AVMediaCharacteristic(
        rawValue: "public.accessibility.transcribes-spoken-dialog"
    )
    /// The track describes music and other sounds for people who cannot hear them. Containers mark this together with
    /// `transcribesSpokenDialogForAccessibility`.
    public static let describesMusicAndSoundForAccessibility = AVMediaCharacteristic(
        rawValue: "public.accessibility.describes-music-and-sound"
    )
    /// The track describes the video for people who cannot see it.
    public static let describesVideoForAccessibility = AVMediaCharacteristic(
        rawValue: "public.accessibility.describes-video"
    )
    /// The track is dubbed in another language.
    public static let dubbedTranslation = AVMediaCharacteristic(rawValue: "public.translation.dubbed")

    private static let names: [(AVMediaCharacteristic, MediaCharacteristic)] = [
        (.visual, .visual), (.audible, .audible), (.legible, .legible),
        (.isMainProgramContent, .isMainProgramContent), (.isAuxiliaryContent, .isAuxiliaryContent),
        (.isOriginalContent, .isOriginalContent),
        (.containsOnlyForcedSubtitles, .containsOnlyForcedSubtitles),
        (.transcribesSpokenDialogForAccessibility, .transcribesSpokenDialogForAccessibility),
        (.describesMusicAndSoundForAccessibility, .transcribesSpokenDialogForAccessibility),
        (.describesVideoForAccessibility, .describesVideoForAccessibility),
        (.dubbedTranslation, .dubbedTranslation),
    ]

    /// The characteristic of the player's API, or nil.
    var characteristic: MediaCharacteristic? { Self.names.first { $0.0 == self }?.1 }

    /// Returns whether a track has the characteristic, by its media type or by its mark in the container.
    func applies(to option: MediaSelectionOption) -> Bool {
        if self == .isMainProgramContent { return !option.hasMediaCharacteristic(.isAuxiliaryContent) }
        return characteristic.map(option.hasMediaCharacteristic) ?? false
    }

    /// Creates a characteristic from that of the player's API.
    init(_ characteristic: MediaCharacteristic) {
        self = Self.names.first { $0.1 == characteristic }?.0 ?? .init(rawValue: characteristic.rawValue)
    }
}
