public import MediaCore
import PlaybackEngine
import PlayheadBackend

/// A track of an item, which can be enabled and disabled.
///
/// The value reports the state at the time when `PlayerItem.tracks` was read, and what was set on it since. Two values
/// are equal if they refer to the same track and are both enabled or both disabled. All members may be used from any
/// thread.
public struct PlayerItemTrack: Hashable, Sendable {
    /// The track as the container describes it.
    public let assetTrack: Track
    /// The number of frames that were delivered to the layers in the last second of playback, at the time when
    /// `PlayerItem.tracks` was read. 0 while paused, and for other media types.
    public let currentVideoFrameRate: Float

    private let handle: Handle

    /// The state that the copies of a value share.
    private final class Handle: Sendable {
        struct State {
            var isEnabled: Bool
            weak var item: PlayerItem?
        }
        let state: Locked<State>
        init(_ state: State) { self.state = Locked(state) }
    }

    init(_ facts: TrackFacts, of item: PlayerItem, frameRate: Float) {
        assetTrack = facts.assetTrack
        currentVideoFrameRate = frameRate
        handle = Handle(Handle.State(isEnabled: facts.isEnabled, item: item))
    }

    /// A Boolean value that indicates whether the track is played. A new value can be read at once, here and in
    /// `PlayerItem.tracks`.
    ///
    /// Playback does not stop. The change is visible and audible a quarter of a second later, or 0.65 s later while
    /// audio plays on a device, exact to the frame and the sample (`PlayerEvent.mediaSelectionChanged`). A disabled
    /// audio track is silent. A disabled video track shows nothing, and the layers are not ready for display. A
    /// disabled track is neither read nor decoded, unless the item plays no other track: then time continues to
    /// advance. A track that is enabled again is in sync. One track of a media type plays at a time, so enabling a
    /// track disables the others of its type.
    ///
    /// Setting has no effect for tracks that cannot be played, for audio tracks of a player without audio
    /// (`Player.Configuration.audio`), and for data tracks.
    public var isEnabled: Bool {
        get { handle.state.withLock { $0.isEnabled } }
        nonmutating set {
            let item = handle.state.withLock { $0.item }
            guard let item, item.setEnabled(newValue, assetTrack) else { return }
            handle.state.withLock { $0.isEnabled = newValue }
        }
    }

    /// Returns whether both refer to the same track and have the same enabled state.
    public static func == (a: PlayerItemTrack, b: PlayerItemTrack) -> Bool {
        a.assetTrack == b.assetTrack && a.isEnabled == b.isEnabled
    }

    /// Hashes the track alone, because its enabled state can change.
    public func hash(into hasher: inout Hasher) { hasher.combine(assetTrack) }
}

/// The tracks of an item that were enabled or disabled and that playback does not reflect yet, and the choices before
/// that.
struct TrackSwitches: Sendable {
    /// The changes of audio and video tracks that the engine has not applied yet, by `Track.id`.
    private var pending: [Int: (type: MediaType, isEnabled: Bool)] = [:]
    /// The changes of subtitle tracks that the engine has not applied yet. Subtitles are read independently of audio
    /// and video.
    private var pendingSubtitles: [Int: Bool] = [:]
    /// The choice for a media type before its track was disabled.
    private var former: [MediaType: (track: Int, choice: TrackChoice)] = [:]
    /// The number of the newest choice of audio and video.
    private(set) var choice: UInt64 = 0
    /// The number of the newest choice that the engine has applied as far as it can be played.
    private var confirmed: UInt64 = 0

    /// The switches for a copy of the item, which no player has.
    var copied: TrackSwitches {
        var copy = TrackSwitches()
        copy.former = former
        return copy
    }

    func apply(to tracks: [TrackFacts]) -> [TrackFacts] {
        guard !pending.isEmpty || !pendingSubtitles.isEmpty else { return tracks }
        return tracks.map { track in
            let id = track.assetTrack.id
            return TrackFacts(
                assetTrack: track.assetTrack,
                isEnabled: pending[id]?.isEnabled ?? pendingSubtitles[id] ?? track.isEnabled
            )
        }
    }

    /// Enables or disables one of `tracks`, and returns the resulting choice for its media type.
    mutating func set(
        _ isEnabled: Bool,
        _ track: Track,
        of tracks: [TrackFacts],
        _ choice: TrackChoice
    ) -> TrackChoice {
        let alike = tracks.map(\.assetTrack).filter { $0.mediaType == track.mediaType }
        let switched = isEnabled ? alike.map { ($0.id, $0.id == track.id) } : [(track.id, false)]
        for (id, isOn) in switched {
            if track.mediaType == .subtitle {
                pendingSubtitles[id] = isOn
            } else {
                pending[id] = (track.mediaType, isOn)
            }
        }
        if isEnabled {
            let former = former.removeValue(forKey: track.mediaType)
            return former.flatMap { $0.track == track.id ? $0.choice : nil } ?? .track(track.id)
        }
        former[track.mediaType] = (track.id, choice)
        return .none
    }

    /// Discards the pending changes of a media type after another choice was made.
    mutating func removePending(of type: MediaType) {
        former[type] = nil
        if type == .subtitle {
            pendingSubtitles = [:]
        } else {
            pending = pending.filter { $0.value.type != type }
        }
    }

    /// Updates the state after each change of the selection.
    ///
    /// - Parameter requiresReload: Whether the engine must reload the item.
    mutating func selectionDidChange(requiresReload: Bool) {
        if requiresReload { choice += 1 } else if confirmed >= choice { pending = [:] }
    }

    /// Records that playback has followed a choice, or cannot follow it.
    mutating func confirm(_ choice: UInt64) {
        confirmed = max(confirmed, choice)
        if confirmed >= self.choice { pending = [:] }
    }

    /// Records that reading subtitles has followed a choice. A failed item follows no choice.
    mutating func confirmSubtitles(_ change: PlaybackChange, _ facts: ItemFacts) {
        if facts.status == .failed { (pending, pendingSubtitles) = ([:], [:]) }
        guard !pendingSubtitles.isEmpty, case .selectionChanged = change else { return }
        for track in facts.tracks where pendingSubtitles[track.assetTrack.id] == track.isEnabled {
            pendingSubtitles[track.assetTrack.id] = nil
        }
    }

    /// Records that reading subtitles cannot follow a choice.
    mutating func discardSubtitles() { pendingSubtitles = [:] }
}

extension PlayerItem {
    /// The value of `tracks`: as of the event that is being delivered, or else with everything that was set.
    var visibleTracks: [PlayerItemTrack] {
        let observed = ObservedSnapshot.current?.facts(of: self)?.tracks
        let tracks = observed ?? state.withLock { $0.switches.apply(to: $0.facts.tracks) }
        let rate = core.map { $0.frameRate(of: self) } ?? 0
        return tracks.map { track in
            let isShown = track.isEnabled && track.assetTrack.mediaType == .video
            return PlayerItemTrack(track, of: self, frameRate: isShown ? rate : 0)
        }
    }

    /// Enables or disables a track.
    ///
    /// - Returns: False if the track cannot be enabled or disabled.
    fileprivate func setEnabled(_ isEnabled: Bool, _ track: Track) -> Bool {
        guard track.isPlayable, [.video, .audio, .subtitle].contains(track.mediaType) else { return false }
        if isEnabled, track.mediaType == .audio, core?.hasAudio == false { return false }
        ObservedSnapshot.discardCurrent()
        var hasChanged = false
        choose { state in
            let now = state.switches.apply(to: state.facts.tracks).first { $0.assetTrack.id == track.id }
            guard let now, now.isEnabled != isEnabled else { return }
            hasChanged = true
            let former = state.choice(track.mediaType)
            state.choose(
                state.switches.set(isEnabled, track, of: state.facts.tracks, former),
                track.mediaType
            )
        }
        guard hasChanged else { return true }
        announce(\.tracks)
        return true
    }

    /// Records that the engine plays what was chosen up to `choice`, as far as it can. On the control lane. If the
    /// result differs from what was set, observers of `tracks` are notified again.
    func confirmChoice(_ choice: UInt64, _ callbacks: any Lane) {
        updateSwitches(callbacks) { $0.confirm(choice) }
    }

    /// Discards the changes of subtitle tracks that cannot be played. On the control lane. Observers of `tracks` are
    /// notified again.
    func discardSubtitleSwitches(_ callbacks: any Lane) {
        updateSwitches(callbacks) { $0.discardSubtitles() }
    }

    private func updateSwitches(_ callbacks: any Lane, _ body: (inout TrackSwitches) -> Void) {
        let hasChanged = state.withLock { state in
            let before = state.switches.apply(to: state.facts.tracks)
            body(&state.switches)
            return state.switches.apply(to: state.facts.tracks) != before
        }
        if hasChanged { callbacks.enqueue { [weak self] in self?.announce(\.tracks) } }
    }
}

extension PlayerCore {
    /// Clears the outputs of an item that plays no video track any more, on the control lane.
    func clearOutputs(of id: ItemID, _ snapshot: PlaybackSnapshot) {
        guard snapshot.itemID == id, let item = dispatcher.item(id),
            let tracks = snapshot.description?.tracks,
            !tracks.contains(where: { $0.mediaType == .video && snapshot.enabledTracks.contains($0.id) })
        else { return }
        item.clearVideoOutputs()
        setting(\.videoOutput)?.keep { $0 !== item }
    }
}
