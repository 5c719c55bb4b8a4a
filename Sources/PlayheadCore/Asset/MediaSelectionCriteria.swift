import MediaCore
import PlaybackEngine

/// Criteria for automatic media selection: preferred languages and characteristics.
public struct PlayerMediaSelectionCriteria: Hashable, Sendable {
    /// The preferred languages, most preferred first, as BCP 47 or ISO 639 codes: "de", "deu", "pt-BR". The region
    /// decides among options in the same language that have equally many of the preferred characteristics.
    public var preferredLanguages: [String]
    /// The preferred characteristics. Among options in the same language, the one with the most of them is selected.
    public var preferredMediaCharacteristics: [MediaCharacteristic]

    /// Creates criteria. Without languages and characteristics the default option is selected.
    ///
    /// - Parameters:
    ///   - preferredLanguages: The preferred languages, most preferred first.
    ///   - preferredMediaCharacteristics: The preferred characteristics.
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
    /// Whether the criteria select options for which there is no explicit selection. The default is true. Without
    /// criteria the default option plays, and no subtitles are shown.
    public var appliesMediaSelectionCriteriaAutomatically: Bool {
        get { core.setting(\.appliesCriteria) }
        set { core.changeCriteria { $0.appliesCriteria = newValue } }
    }

    /// Sets the criteria for one characteristic, for all items of the player.
    ///
    /// If no video or audio track matches, the default track plays. If no subtitle track matches, none is shown. An
    /// explicit selection (`PlayerItem.select(_:in:)`) takes precedence until `selectMediaOptionAutomatically(in:)` is
    /// called. During playback the criteria take effect at once and without an interruption.
    ///
    /// - Parameters:
    ///   - criteria: The criteria, or nil to remove them.
    ///   - characteristic: `.audible`, `.visual` or `.legible`.
    public func setMediaSelectionCriteria(
        _ criteria: PlayerMediaSelectionCriteria?,
        forMediaCharacteristic characteristic: MediaCharacteristic
    ) {
        core.changeCriteria { $0.criteria[characteristic] = criteria }
    }

    /// Returns the criteria that `setMediaSelectionCriteria(_:forMediaCharacteristic:)` has set, or nil if there are
    /// none.
    ///
    /// - Parameter characteristic: `.audible`, `.visual` or `.legible`.
    /// - Returns: The criteria.
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
            let ids =
                [state.itemID, state.pendingInterstitial?.id].compactMap(\.self) + state.queue.map(\.id)
            return (before != (state.appliesCriteria, state.criteria), ids)
        }
        guard isOther else { return }
        for id in ids {
            loop.reloadItem(id)
            loop.reloadCues(id, .subtitles, reopens: true)
        }
    }

    /// Returns the choice for the engine: the item's own, or else the player's criteria.
    func choice(_ choice: TrackChoice, _ characteristic: MediaCharacteristic) -> TrackChoice {
        guard choice == .automatic else { return choice }
        let (applies, criteria) = state.withLock { ($0.appliesCriteria, $0.criteria[characteristic]) }
        guard applies, let criteria else { return characteristic == .legible ? .none : .automatic }
        return .preferred(criteria.preference(for: characteristic))
    }
}

extension MediaCharacteristic {
    /// FFmpeg's disposition flags for the characteristic. One of them is sufficient.
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
