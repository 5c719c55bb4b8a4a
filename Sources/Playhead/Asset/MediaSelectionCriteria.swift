import Foundation
import MediaCore
import PlaybackEngine

/// Which of a group's options a player takes where nobody has chosen one.
public struct PlayerMediaSelectionCriteria: Hashable, Sendable {
    /// Most wanted first, as BCP 47 or ISO 639 writes them: "de", "deu", "pt-BR" (whose region is not looked at).
    public var preferredLanguages: [String]
    /// What an option should have beside; among those in the same language the one that has most of it.
    public var preferredMediaCharacteristics: [MediaCharacteristic]

    /// Without languages and characteristics the first option that can be played is taken.
    public init(
        preferredLanguages: [String] = [],
        preferredMediaCharacteristics: [MediaCharacteristic] = []
    ) {
        self.preferredLanguages = preferredLanguages
        self.preferredMediaCharacteristics = preferredMediaCharacteristics
    }

    func preference(for characteristic: MediaCharacteristic) -> TrackPreference {
        TrackPreference(
            languages: preferredLanguages.map(LanguageNames.all),
            dispositions: preferredMediaCharacteristics.map(\.dispositions).filter { !$0.isEmpty },
            isStrict: characteristic == .legible
        )
    }
}

extension Player {
    /// Whether criteria choose where nobody has: true by default. Without criteria the first option that can be
    /// played is taken, and no words.
    public var appliesMediaSelectionCriteriaAutomatically: Bool {
        get { core.setting(\.appliesCriteria) }
        set { core.changeCriteria { $0.appliesCriteria = newValue } }
    }

    /// How to choose among audible, visual or legible options in all items of the player; nil: not at all.
    /// Frame and audio that fit nothing are played nevertheless, words are not. An explicit choice
    /// (`PlayerItem.select(_:in:)`) stands until `selectMediaOptionAutomatically(in:)`. Set while playing it
    /// counts at once, without a stop.
    public func setMediaSelectionCriteria(
        _ criteria: PlayerMediaSelectionCriteria?,
        forMediaCharacteristic characteristic: MediaCharacteristic
    ) {
        core.changeCriteria { $0.criteria[characteristic] = criteria }
    }

    /// What `setMediaSelectionCriteria` has set; nil: nothing.
    public func mediaSelectionCriteria(
        forMediaCharacteristic characteristic: MediaCharacteristic
    ) -> PlayerMediaSelectionCriteria? {
        core.setting(\.criteria)[characteristic]
    }
}

extension PlayerCore {
    func changeCriteria(_ body: (inout State) -> Void) {
        let (isOther, ids) = state.withLock { state in
            let before = (state.appliesCriteria, state.criteria)
            body(&state)
            let ids = [state.itemID].compactMap(\.self) + state.queue.map(\.id)
            return (before != (state.appliesCriteria, state.criteria), ids)
        }
        guard isOther else { return }
        for id in ids {
            loop.reloadItem(id)
            loop.reloadText(id, .subtitles, reopens: true)
        }
    }

    /// What the loop is to choose by.
    func choice(_ choice: TrackChoice, _ characteristic: MediaCharacteristic) -> TrackChoice {
        guard choice == .automatic else { return choice }
        let (applies, criteria) = state.withLock { ($0.appliesCriteria, $0.criteria[characteristic]) }
        guard applies, let criteria else { return characteristic == .legible ? .none : .automatic }
        return .preferred(criteria.preference(for: characteristic))
    }
}

extension MediaCharacteristic {
    /// FFmpeg's words for it, any of which means it.
    var dispositions: Set<String> {
        switch self {
        case .audible, .visual, .legible: []
        case .isMainProgramContent: ["default"]
        case .isOriginalContent: ["original"]
        case .isAuxiliaryContent: ["comment"]
        case .dubbedTranslation: ["dub"]
        case .containsOnlyForcedSubtitles: ["forced"]
        case .transcribesSpokenDialogForAccessibility: ["hearing_impaired", "captions"]
        case .describesVideoForAccessibility: ["visual_impaired", "descriptions"]
        }
    }
}

/// The names that containers write for a language.
enum LanguageNames {
    /// ISO 639-2 has two codes for some languages; containers write either.
    private static let bibliographic = [
        "sqi": "alb", "hye": "arm", "eus": "baq", "mya": "bur", "zho": "chi", "ces": "cze", "nld": "dut",
        "fra": "fre", "kat": "geo", "deu": "ger", "ell": "gre", "isl": "ice", "mkd": "mac", "mri": "mao",
        "msa": "may", "fas": "per", "ron": "rum", "slk": "slo", "bod": "tib", "cym": "wel",
    ]

    static func all(_ language: String) -> Set<String> {
        let name = language.lowercased()
        let common = bibliographic.first { $0.value == name }?.key ?? name
        let code = Locale.Language(identifier: common).languageCode
        var names = Set(
            [name, common, code?.identifier, code?.identifier(.alpha2), code?.identifier(.alpha3)]
                .compactMap { $0?.lowercased() }
        )
        names.formUnion(names.compactMap { bibliographic[$0] })
        return names
    }
}
