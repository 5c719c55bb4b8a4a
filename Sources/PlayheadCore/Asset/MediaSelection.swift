public import MediaCore
import PlaybackEngine

extension Asset {
    /// Returns the media selection group for a characteristic.
    ///
    /// - Parameter characteristic: `.audible`, `.visual` or `.legible`.
    /// - Returns: The group, or nil until the asset is loaded and if it has no such tracks.
    public func mediaSelectionGroup(for characteristic: MediaCharacteristic) -> MediaSelectionGroup? {
        let tracks = tracks.filter { track in
            track.mediaType == characteristic.mediaType && !track.isAttachedPicture
        }
        guard !tracks.isEmpty else { return nil }
        return MediaSelectionGroup(
            characteristic: characteristic,
            options: tracks.map(MediaSelectionOption.init),
            allowsEmptySelection: true
        )
    }
}

extension PlayerItem {
    /// Selects an option in a group, or none of the group.
    ///
    /// Playback does not stop: the new track is decoded in parallel and takes over a quarter of a second later, or 0.65
    /// s later while audio plays on a device, exact to the frame and the sample (`PlayerEvent.mediaSelectionChanged`).
    /// A `LegibleOutput` delivers the cues of a selected subtitle track as soon as they have been read.
    ///
    /// - Parameters:
    ///   - option: The option to play, or nil to play nothing of this kind. An option of another group is ignored.
    ///   - group: The group of the option.
    public func select(_ option: MediaSelectionOption?, in group: MediaSelectionGroup) {
        if let option, !group.options.contains(option) { return }
        choose(option.map { .track($0.track.id) } ?? .none, group.characteristic.mediaType)
    }

    /// Returns to automatic selection: the player's criteria choose, or the container if there are none.
    ///
    /// - Parameter group: The group to select in.
    public func selectMediaOptionAutomatically(in group: MediaSelectionGroup) {
        choose(.automatic, group.characteristic.mediaType)
    }

    /// Returns whether the selection in a group is automatic, so that the player's criteria apply.
    ///
    /// - Parameter group: The group to report on.
    /// - Returns: False after an explicit selection.
    public func mediaSelectionCriteriaCanBeAppliedAutomatically(in group: MediaSelectionGroup) -> Bool {
        choice(group.characteristic) == .automatic
    }

    private func choice(_ characteristic: MediaCharacteristic) -> TrackChoice {
        guard let type = characteristic.mediaType else { return .none }
        return state.withLock { $0.choice(type) }
    }

    /// Returns the option that is selected in a group. Playback follows the selection.
    ///
    /// - Parameter group: The group to report on.
    /// - Returns: The option, or nil if nothing is selected.
    public func selectedMediaOption(in group: MediaSelectionGroup) -> MediaSelectionOption? {
        let mine = choice(group.characteristic)
        let options = optionsInVariant(of: group)
        switch core?.choice(mine, group.characteristic) ?? mine {
        case .automatic: return group.characteristic == .legible ? nil : options.defaultOption
        case .preferred(let preference):
            let best = preference.best(of: options.map(\.track).filter(\.isPlayable))
            return options.first { $0.track == best }
        case .none: return nil
        case .track(let id): return group.options.first { $0.track.id == id }
        }
    }

    private func optionsInVariant(of group: MediaSelectionGroup) -> [MediaSelectionOption] {
        guard let description = asset.media else { return group.options }
        let (choices, tracks) = state.withLock { ([$0.video, $0.audio], $0.facts.tracks) }
        let candidates = description.variants(with: choices)
        // Over a network the variant also depends on the bandwidth, so the one that is being played decides.
        let all = candidates.reduce(into: Set<Int>()) { $0.formUnion($1.trackIDs) }
        let enabled = all.intersection(tracks.filter(\.isEnabled).map(\.assetTrack.id))
        let played = candidates.first { !enabled.isEmpty && enabled.isSubset(of: $0.trackIDs) }
        let wanted = variantPreference(in: core).best(of: candidates)
        let variant = description.isLocal ? wanted : played ?? wanted
        let ids = Set(description.tracks(of: variant).map(\.id))
        return group.options.filter { ids.contains($0.track.id) }
    }

    /// Selects one of the asset's tracks, like `select(_:in:)`. The asset need not be loaded.
    ///
    /// - Parameters:
    ///   - id: The value of `Track.id`.
    ///   - type: The media type of the track.
    public func selectTrack(_ id: Int, ofType type: MediaType) { choose(.track(id), type) }

    /// Plays no track of a media type. Such tracks are neither read nor decoded, unless the item has no other track
    /// that can be played: then time advances to the end of the item, without audio and video.
    ///
    /// - Parameter type: The media type.
    public func disableTracks(ofType type: MediaType) { choose(.none, type) }

    private func choose(_ choice: TrackChoice, _ type: MediaType?) {
        guard let type else { return }
        choose { state in
            state.switches.removePending(of: type)
            state.choose(choice, type)
        }
    }

    /// Changes the selection.
    func choose(_ body: (inout State) -> Void) {
        let hadLegible = state.withLock { $0.legible }
        let before = selectionNow
        change(body)
        if hadLegible != state.withLock({ $0.legible }) { reloadCues(.subtitles, reopens: true) }
        if before != selectionNow { announce(\.currentMediaSelection) }
    }

    /// Changes settings that require an open item to be reloaded.
    func change(_ body: (inout State) -> Void) {
        let (attachment, endsOnly) = state.withLock { state -> (Attachment?, Bool) in
            let (oldTracks, oldEnds) = ((state.video, state.audio), (state.forwardEnd, state.reverseEnd))
            body(&state)
            let (tracks, ends) = ((state.video, state.audio), (state.forwardEnd, state.reverseEnd))
            let isSame = oldTracks == tracks
            state.switches.selectionDidChange(requiresReload: !isSame)
            return (isSame && oldEnds == ends ? nil : state.attachment, isSame)
        }
        if let attachment, let core = attachment.core {
            core.loop.reloadItem(attachment.id, endsOnly: endsOnly)
        }
    }
}

extension PlayerItem.State {
    func choice(_ type: MediaType) -> TrackChoice {
        switch type {
        case .video: video
        case .audio: audio
        case .subtitle: legible
        default: .none
        }
    }

    mutating func choose(_ choice: TrackChoice, _ type: MediaType) {
        switch type {
        case .video: video = choice
        case .audio: audio = choice
        case .subtitle: legible = choice
        default: break
        }
    }
}
