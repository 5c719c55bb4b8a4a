public import MediaCore
import PlaybackEngine

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
    /// Without effect for tracks that cannot be played and for data.
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
    /// What was chosen of a kind before its track was switched off.
    private var former: [MediaType: (track: Int, choice: TrackChoice)] = [:]

    /// For another item, which nobody plays yet.
    var copied: TrackSwitches {
        var copy = self
        copy.pending = [:]
        return copy
    }

    func apply(to tracks: [TrackFacts]) -> [TrackFacts] {
        guard !pending.isEmpty else { return tracks }
        return tracks.map { track in
            TrackFacts(
                assetTrack: track.assetTrack,
                isEnabled: pending[track.assetTrack.id] ?? track.isEnabled
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
        if isEnabled {
            let former = former.removeValue(forKey: track.mediaType)
            for other in alike { pending[other.id] = other.id == track.id }
            return former.flatMap { $0.track == track.id ? $0.choice : nil } ?? .track(track.id)
        }
        former[track.mediaType] = (track.id, choice)
        pending[track.id] = false
        return .none
    }

    /// Something else was chosen of a kind.
    mutating func forget(_ type: MediaType) {
        former[type] = nil
        pending = [:]
    }

    /// What is played has followed, or cannot.
    mutating func settle(_ content: PlaybackReport.Content, _ facts: ItemFacts) {
        guard !pending.isEmpty else { return }
        switch content {
        case .tracksChanged, .selectionChanged:
            for track in facts.tracks where pending[track.assetTrack.id] == track.isEnabled {
                pending[track.assetTrack.id] = nil
            }
        case .fault: pending = [:]
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
