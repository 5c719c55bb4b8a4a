import MediaCore
import PlayheadBackend

/// The cue tracks of the current item, at most one of each kind.
struct CueTracks {
    /// The epoch and pass for which cues are delivered. In another one, they are delivered again.
    struct Position: Equatable {
        var epoch: Epoch
        var pass: Int
    }

    private var tracks: [CueKind: CueTrack] = [:]

    subscript(kind: CueKind) -> CueTrack? { tracks[kind] }
    var isEmpty: Bool { tracks.isEmpty }

    /// Replaces the track of a kind. The old one is closed, and its listeners are informed that nothing is due.
    mutating func replace(_ kind: CueKind, with track: CueTrack?) {
        if let old = tracks.removeValue(forKey: kind) {
            old.flush()
            old.close()
        }
        tracks[kind] = track
    }

    mutating func close() {
        for track in tracks.values { track.close() }
        tracks = [:]
    }

    mutating func removeListener(_ listener: ObjectIdentifier, _ kind: CueKind) {
        tracks[kind]?.removeListener(listener)
    }

    mutating func adopt(_ epoch: Epoch) { for kind in tracks.keys { tracks[kind]?.adopt(epoch) } }

    /// Adds the `Track.id` of each track that is read.
    func addTrackIDs(to ids: inout Set<Int>) {
        for track in tracks.values { if let id = track.stage.trackID { ids.insert(id) } }
    }

    /// Returns the subtitles to draw at `time`, or nil if they are those of the last call, and the item time at which
    /// others are due; nil if none is known.
    mutating func drawn(at time: ItemTime, isReverse: Bool) -> (cues: [CueList.Entry]?, next: ItemTime?) {
        tracks[.subtitles]?.drawn(at: time, isReverse: isReverse) ?? ([], nil)
    }

    /// Delivers the cues that are due, and returns the item times of the next deliveries.
    mutating func update(at time: ItemTime, _ position: Position, isReverse: Bool) -> [ItemTime] {
        // Subtitles are delivered before metadata.
        [CueKind.subtitles, .metadata].compactMap {
            tracks[$0]?.update(at: time, position, isReverse: isReverse)
        }
    }
}
