import Foundation
import Playhead
import Synchronization

/// What of an input cannot be played although something else of it can, and what was lost on the way.
extension PlaySession {
    /// All that is known of the item is known now.
    func becameReady(_ item: PlayerItem) {
        guard let turn = turn(of: item) else { return }
        let file = item.asset.url.isFileURL ? FileIdentity(path: item.asset.url.path) : nil
        state.withLock { state in
            if state.current?.item === item { state.current?.file = file }
            if state.next?.item === item { state.next?.file = file }
        }
        if options.rate < 0, !canPlayBackward(item) {
            return refuse(turn, "it cannot be played backward, which takes video that can be sought in")
        }
        if !item.tracks.contains(where: { $0.isEnabled && $0.assetTrack.mediaType != .subtitle }) {
            return refuse(turn, "every track that could be played is switched off")
        }
        if options.decodesVideo { tellUnplayable(.video, of: turn) }
        if options.audio != .none, options.rate > 0 { tellUnplayable(.audio, of: turn) }
    }

    private func canPlayBackward(_ item: PlayerItem) -> Bool {
        item.canPlayReverse
            && item.tracks.contains { track in
                track.isEnabled && track.assetTrack.mediaType == .video && !track.assetTrack.isAttachedPicture
            }
    }

    private func tellUnplayable(_ type: MediaType, of turn: InputPlayback) {
        let tracks = turn.item.asset.tracks.filter { $0.mediaType == type && !$0.isAttachedPicture }
        guard let first = tracks.first, !tracks.contains(where: \.isPlayable) else { return }
        let reason = first.unplayableReason.map { ": \($0)" } ?? ""
        failOnce(turn, "its \(type.rawValue) cannot be played\(reason)")
    }

    /// At the end of a pass, at `end`.
    func checkWhatWasPlayed(_ item: PlayerItem, until end: MediaTime) {
        guard let turn = turn(of: item) else { return }
        if options.decodesVideo, options.rate > 0, !turn.hasShown, showsVideo(item) {
            failOnce(turn, "its video cannot be decoded: no picture came of it")
        }
        guard let expected = lostEnd(of: turn), end < expected - Self.tolerance else { return }
        let (played, whole) = (decimalSeconds(end) ?? "?", decimalSeconds(expected) ?? "?")
        failOnce(turn, "the file was cut short while it was played: it ended at \(played) of \(whole) s")
    }

    private func showsVideo(_ item: PlayerItem) -> Bool {
        item.tracks.contains { track in
            track.isEnabled && track.assetTrack.mediaType == .video && !track.assetTrack.isAttachedPicture
        }
    }

    /// Where playing should have ended, of a file that is shorter by now than it was.
    private func lostEnd(of turn: InputPlayback) -> MediaTime? {
        let asset = turn.item.asset
        guard options.rate > 0, let file = turn.file, asset.url.isFileURL, asset.duration.isNumeric,
            let byteCount = asset.media?.byteCount, file == FileIdentity(path: asset.url.path),
            let size = FileIdentity.byteCount(path: asset.url.path), size < byteCount
        else { return nil }
        let limit = turn.item.forwardPlaybackEndTime
        return limit.isNumeric ? min(limit, asset.duration) : asset.duration
    }

    /// Durations are rounded in many ways.
    private static let tolerance = MediaTime(value: 1, timescale: 10)

    /// One sentence for each input.
    func failOnce(_ turn: InputPlayback, _ words: String) {
        guard state.withLock({ $0.toldOf.insert(turn.index).inserted }) else { return }
        fail("\(options.inputs[turn.index].name): \(words)")
    }

    private func turn(of item: PlayerItem) -> InputPlayback? {
        state.withLock { state in
            [state.current, state.next, state.previous].compactMap(\.self).first { $0.item === item }
        }
    }

    /// What the player could play for ever without an end.
    private func refuse(_ turn: InputPlayback, _ words: String) {
        let isCurrent = state.withLock { state in
            state.playlist.noteFailed(turn.index)
            guard state.current?.item === turn.item, !state.isSettled else { return false }
            state.isSettled = true
            return true
        }
        failOnce(turn, words)
        if isCurrent { endOrPlayNext() }
    }

    /// The player does not come to an end by itself.
    func endOrPlayNext() {
        if let turn = makeNext(state.withLock { $0.remaining }) { begin(turn) } else { stop() }
    }

    /// The current one, where the player stands at the end of a pass that nothing follows: it begins none that
    /// has no length.
    func abandonedTurn() -> InputPlayback? {
        state.withLock { state in
            guard let turn = state.current, !state.isSettled, !state.isStopping, state.repeatMode == .loop
            else { return nil }
            state.isSettled = true
            state.playlist.noteFailed(turn.index)
            return turn
        }
    }
}
