public import MediaCore
import PlaybackEngine
import PlayheadBackend

/// A track of an item, and the switch that it has. Two are equal that play the same track, both or neither of them
/// enabled, whatever the frame rate is at the moment.
///
/// It tells how things were when `PlayerItem.tracks` was read, and what was set on it since. Any thread.
public struct PlayerItemTrack: Hashable, Sendable {
    /// What the container says of it.
    public let assetTrack: Track
    /// Frames a second that were handed to the layers in the last second of playing, as of the moment at
    /// which `PlayerItem.tracks` was read; 0 while standing still, and for other media.
    public let currentVideoFrameRate: Float

    private let handle: Handle

    /// What the copies of a value have in common.
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

    /// Whether it is being played: what is set is read at once, here and in `PlayerItem.tracks`.
    ///
    /// While playing nothing stops, and the change is seen and heard a quarter of a second later, to the frame and the
    /// sample (`PlayerEvent.mediaSelectionChanged`). Audio that is switched off is silent; video that is switched off
    /// shows nothing, and the layers are not ready for display. Neither is read or decoded, except where nothing else of
    /// the item is played: then time runs on as it would. Switched on again a track is in step, as if it had been on all
    /// along. One track of a kind is played at a time: switching one on switches the others of its kind off.
    ///
    /// Without effect for tracks that cannot be played, for audio on a player without any
    /// (`Player.Configuration.audio`), and for data.
    public var isEnabled: Bool {
        get { handle.state.withLock { $0.isEnabled } }
        nonmutating set {
            let item = handle.state.withLock { $0.item }
            guard let item, item.setEnabled(newValue, assetTrack) else { return }
            handle.state.withLock { $0.isEnabled = newValue }
        }
    }

    public static func == (a: PlayerItemTrack, b: PlayerItemTrack) -> Bool {
        a.assetTrack == b.assetTrack && a.isEnabled == b.isEnabled
    }

    /// By the track alone: whether it is enabled can change.
    public func hash(into hasher: inout Hasher) { hasher.combine(assetTrack) }
}

/// Tracks of an item that were switched on or off, until what is played follows; and what had been chosen before.
struct TrackSwitches: Sendable {
    /// What the engine has not taken over yet, by `Track.id`.
    private var pending: [Int: Bool] = [:]
    /// The same of subtitles, which are read beside audio and video.
    private var pendingText: [Int: Bool] = [:]
    /// What was chosen of a kind before its track was switched off.
    private var former: [MediaType: (track: Int, choice: TrackChoice)] = [:]
    /// Numbers what is chosen of audio and video.
    private(set) var choice: UInt64 = 0
    /// The newest choice that the engine has taken over, as far as it can be played.
    private var taken: UInt64 = 0

    /// For another item, which nobody plays yet.
    var copied: TrackSwitches {
        var copy = TrackSwitches()
        copy.former = former
        return copy
    }

    func apply(to tracks: [TrackFacts]) -> [TrackFacts] {
        guard !pending.isEmpty || !pendingText.isEmpty else { return tracks }
        return tracks.map { track in
            let id = track.assetTrack.id
            return TrackFacts(
                assetTrack: track.assetTrack,
                isEnabled: pending[id] ?? pendingText[id] ?? track.isEnabled
            )
        }
    }

    /// What follows from switching one of `tracks`: how to choose from now on.
    mutating func set(
        _ isEnabled: Bool,
        _ track: Track,
        of tracks: [TrackFacts],
        _ choice: TrackChoice
    ) -> TrackChoice {
        let alike = tracks.map(\.assetTrack).filter { $0.mediaType == track.mediaType }
        let switched = isEnabled ? alike.map { ($0.id, $0.id == track.id) } : [(track.id, false)]
        for (id, isOn) in switched {
            if track.mediaType == .subtitle { pendingText[id] = isOn } else { pending[id] = isOn }
        }
        if isEnabled {
            let former = former.removeValue(forKey: track.mediaType)
            return former.flatMap { $0.track == track.id ? $0.choice : nil } ?? .track(track.id)
        }
        former[track.mediaType] = (track.id, choice)
        return .none
    }

    /// Something else was chosen of a kind.
    mutating func forget(_ type: MediaType) {
        former[type] = nil
        if type == .subtitle { pendingText = [:] } else { pending = [:] }
    }

    /// Behind each change of what is chosen. `isNew`: the engine must open the item anew for it.
    mutating func wereSet(isNew: Bool) {
        if isNew { choice += 1 } else if taken >= choice { pending = [:] }
    }

    /// What is played has followed, or cannot.
    mutating func take(_ choice: UInt64) {
        taken = max(taken, choice)
        if taken >= self.choice { pending = [:] }
    }

    /// Subtitles that are read have followed, or cannot; a failed item follows nothing.
    mutating func settle(_ content: PlaybackReport.Content, _ facts: ItemFacts) {
        if facts.status == .failed { (pending, pendingText) = ([:], [:]) }
        guard !pendingText.isEmpty else { return }
        switch content {
        case .selectionChanged:
            for track in facts.tracks where pendingText[track.assetTrack.id] == track.isEnabled {
                pendingText[track.assetTrack.id] = nil
            }
        case .fault: pendingText = [:]
        default: break
        }
    }
}

extension PlayerItem {
    /// What `tracks` says: as the event that is being told has it, or else as it was set last.
    var seenTracks: [PlayerItemTrack] {
        let told = ObservedSnapshot.current?.facts(of: self)?.tracks
        let tracks = told ?? state.withLock { $0.switches.apply(to: $0.facts.tracks) }
        let rate = core.map { $0.frameRate(of: self) } ?? 0
        return tracks.map { track in
            let isShown = track.isEnabled && track.assetTrack.mediaType == .video
            return PlayerItemTrack(track, of: self, frameRate: isShown ? rate : 0)
        }
    }

    /// False: it cannot be switched.
    fileprivate func setEnabled(_ isEnabled: Bool, _ track: Track) -> Bool {
        guard track.isPlayable, [.video, .audio, .subtitle].contains(track.mediaType) else { return false }
        if isEnabled, track.mediaType == .audio, core?.hasAudio == false { return false }
        ObservedSnapshot.leave()
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

    /// On the control lane: the engine plays what was chosen up to `choice`, as far as it can. Where that is not what was
    /// set, whoever tracks the tracks is told once more.
    func choiceTaken(_ choice: UInt64, _ callbacks: any Lane) {
        let hasChanged = state.withLock { state in
            let before = state.switches.apply(to: state.facts.tracks)
            state.switches.take(choice)
            return state.switches.apply(to: state.facts.tracks) != before
        }
        if hasChanged { callbacks.enqueue { [weak self] in self?.announce(\.tracks) } }
    }
}

extension PlayerCore {
    /// On the control lane: other tracks are played, and where none of them is video the outputs have none.
    func showNothing(of id: ItemID, _ snapshot: PlaybackSnapshot) {
        guard snapshot.itemID == id, let item = watchers.item(id), let tracks = snapshot.description?.tracks,
            !tracks.contains(where: { $0.mediaType == .video && snapshot.enabledTracks.contains($0.id) })
        else { return }
        item.clearVideoOutputs()
        setting(\.videoOutput)?.keep { $0 !== item }
    }
}
