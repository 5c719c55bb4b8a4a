public import MediaCore
import PlaybackEngine

extension Asset {
    /// nil until loaded, and where the asset has no such track.
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
    /// Plays `option`; nil: nothing of this kind. While playing nothing stops: the new track is decoded beside
    /// the old one and takes over a quarter of a second later, to the frame and the sample
    /// (`PlayerEvent.mediaSelectionChanged`). An option of another group changes nothing. Words of a
    /// text track are handed out by a `LegibleOutput`, from the moment on at which they have been read.
    public func select(_ option: MediaSelectionOption?, in group: MediaSelectionGroup) {
        if let option, !group.options.contains(option) { return }
        choose(option.map { .track($0.track.id) } ?? .none, group.characteristic.mediaType)
    }

    /// The player's criteria choose again, or the container where there are none.
    public func selectMediaOptionAutomatically(in group: MediaSelectionGroup) {
        choose(.automatic, group.characteristic.mediaType)
    }

    /// Whether nobody has chosen in the group, so that the player's criteria do.
    public func mediaSelectionCriteriaCanBeAppliedAutomatically(in group: MediaSelectionGroup) -> Bool {
        choice(group.characteristic) == .automatic
    }

    private func choice(_ characteristic: MediaCharacteristic) -> TrackChoice {
        guard let type = characteristic.mediaType else { return .none }
        return state.withLock { $0.choice(type) }
    }

    /// What is chosen in a group; what is played follows. nil: nothing.
    public func selectedMediaOption(in group: MediaSelectionGroup) -> MediaSelectionOption? {
        let mine = choice(group.characteristic)
        let options = optionsInVariant(of: group)
        switch core?.choice(mine, group.characteristic) ?? mine {
        case .automatic: return group.characteristic == .legible ? nil : options.first(where: \.isPlayable)
        case .preferred(let preference):
            let best = preference.best(of: options.map(\.track).filter(\.isPlayable))
            return options.first { $0.track == best }
        case .none: return nil
        case .track(let id): return group.options.first { $0.track.id == id }
        }
    }

    private func optionsInVariant(of group: MediaSelectionGroup) -> [MediaSelectionOption] {
        guard let description = asset.description else { return group.options }
        let (choices, tracks) = state.withLock { ([$0.video, $0.audio], $0.facts.tracks) }
        let candidates = description.variants(with: choices)
        // Over a network the variant follows the speed too: the one that is played.
        let all = candidates.reduce(into: Set<Int>()) { $0.formUnion($1.trackIDs) }
        let enabled = all.intersection(tracks.filter(\.isEnabled).map(\.assetTrack.id))
        let played = candidates.first { !enabled.isEmpty && enabled.isSubset(of: $0.trackIDs) }
        let wanted = variantPreference(in: core).best(of: candidates)
        let variant = description.isLocal ? wanted : played ?? wanted
        let ids = Set(description.tracks(of: variant).map(\.id))
        return group.options.filter { ids.contains($0.track.id) }
    }

    /// Plays one of the asset's tracks of a kind; `Track.id`. As `select(_:in:)`, for an asset that is not
    /// loaded yet.
    public func selectTrack(_ id: Int, ofType type: MediaType) { choose(.track(id), type) }

    /// Plays no track of this kind: none of it is read or decoded, but where the item has nothing else that plays: then
    /// its time runs to its end as ever, in silence and without a picture.
    public func disableTracks(ofType type: MediaType) { choose(.none, type) }

    private func choose(_ choice: TrackChoice, _ type: MediaType?) {
        guard let type else { return }
        choose { state in
            state.switches.forget(type)
            state.choose(choice, type)
        }
    }

    /// Changes what is chosen.
    func choose(_ body: (inout State) -> Void) {
        let hadLegible = state.withLock { $0.legible }
        let before = chosenNow
        change(body)
        if hadLegible != state.withLock({ $0.legible }) { reloadText(.subtitles, reopens: true) }
        if before != chosenNow { announce(\.currentMediaSelection) }
    }

    /// Changes a setting that an item which is open already must be opened anew for.
    func change(_ body: (inout State) -> Void) {
        let (attachment, endsOnly) = state.withLock { state -> (Attachment?, Bool) in
            let (oldTracks, oldEnds) = ((state.video, state.audio), (state.forwardEnd, state.reverseEnd))
            body(&state)
            let (tracks, ends) = ((state.video, state.audio), (state.forwardEnd, state.reverseEnd))
            let isSame = oldTracks == tracks
            state.switches.wereSet(isNew: !isSame)
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
