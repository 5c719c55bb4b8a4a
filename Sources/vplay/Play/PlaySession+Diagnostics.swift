import Foundation
import Playhead
import Synchronization

/// Messages about parts of an input that cannot be played or were lost.
extension PlaySession {
    /// Checks an item that has become ready for tracks that cannot be played.
    func didBecomeReady(_ item: PlayerItem) {
        guard let playback = playback(of: item) else { return }
        let file = item.asset.url.isFileURL ? FileIdentity(path: item.asset.url.path) : nil
        state.withLock { state in
            if state.current?.item === item { state.current?.file = file }
            if state.next?.item === item { state.next?.file = file }
        }
        if options.rate < 0, !canPlayReverse(item) {
            return reject(playback, "cannot be played in reverse: this requires seekable video")
        }
        if !item.tracks.contains(where: { $0.isEnabled && $0.assetTrack.mediaType != .subtitle }) {
            return reject(playback, "all playable tracks are disabled")
        }
        warnOfStartPastEnd(playback)
        if options.decodesVideo { reportUnplayable(.video, of: playback) }
        if options.audio != .none, options.rate > 0 { reportUnplayable(.audio, of: playback) }
    }

    /// Prints one warning for an input whose `--start` is past its end. The player then shows the last frame.
    private func warnOfStartPastEnd(_ playback: InputPlayback) {
        let duration = playback.item.duration
        guard options.rate > 0, !options.isQuiet, let start = options.start?.time, duration.isNumeric,
            playback.item.asset.media?.durationIsEstimate != true,
            playback.start > duration, let end = decimalSeconds(duration), let time = decimalSeconds(start),
            state.withLock({ $0.reportedStarts.insert(playback.entry.id).inserted })
        else { return }
        Console.shared.printError(
            "warning: \(playback.entry.input.name): --start \(time) is past the end (duration \(end) s); "
                + "playback starts at the end"
        )
    }

    private func canPlayReverse(_ item: PlayerItem) -> Bool {
        item.canPlayReverse
            && item.tracks.contains { track in
                track.isEnabled && track.assetTrack.mediaType == .video && !track.assetTrack.isAttachedPicture
            }
    }

    private func reportUnplayable(_ type: MediaType, of playback: InputPlayback) {
        let tracks = playback.item.asset.tracks.filter { $0.mediaType == type && !$0.isAttachedPicture }
        guard let first = tracks.first, !tracks.contains(where: \.isPlayable) else { return }
        let reason = first.unplayableReason.map { ": \($0)" } ?? ""
        failOnce(playback, "its \(type.rawValue) cannot be played\(reason)")
    }

    /// Checks at the end of a pass whether frames and the declared duration were played.
    func checkPlayedContent(_ item: PlayerItem, until end: MediaTime) {
        guard let playback = playback(of: item) else { return }
        if options.decodesVideo, options.rate > 0, !playback.hasShown, showsVideo(item) {
            failOnce(playback, "its video cannot be decoded: no frame was decoded")
        }
        guard let expected = truncatedEnd(of: playback), end < expected - Self.tolerance else { return }
        let (played, whole) = (decimalSeconds(end) ?? "?", decimalSeconds(expected) ?? "?")
        failOnce(playback, "the file was truncated during playback: it ended at \(played) of \(whole) s")
    }

    private func showsVideo(_ item: PlayerItem) -> Bool {
        item.tracks.contains { track in
            track.isEnabled && track.assetTrack.mediaType == .video && !track.assetTrack.isAttachedPicture
        }
    }

    /// Returns the expected end of playback if the file has become shorter since it was opened, or nil.
    private func truncatedEnd(of playback: InputPlayback) -> MediaTime? {
        let asset = playback.item.asset
        guard options.rate > 0, let file = playback.file, asset.url.isFileURL, asset.duration.isNumeric,
            let byteCount = asset.media?.byteCount, file == FileIdentity(path: asset.url.path),
            let size = FileIdentity.byteCount(path: asset.url.path), size < byteCount
        else { return nil }
        let limit = playback.item.forwardPlaybackEndTime
        return limit.isNumeric ? min(limit, asset.duration) : asset.duration
    }

    /// The tolerance for rounded durations.
    private static let tolerance = MediaTime(value: 1, timescale: 10)

    /// Prints an error about an input. Only the first error of each input is printed.
    func failOnce(_ playback: InputPlayback, _ message: String) {
        guard state.withLock({ $0.reportedInputs.insert(playback.entry.id).inserted }) else { return }
        fail("\(playback.entry.input.name): \(message)")
    }

    /// Returns the current, next or previous playback that has an item, or nil.
    func playback(of item: PlayerItem) -> InputPlayback? {
        state.withLock { state in
            [state.current, state.next, state.interruption, state.previous].compactMap(\.self).first {
                $0.item === item
            }
        }
    }

    /// Rejects an input that the player would play indefinitely without output.
    private func reject(_ playback: InputPlayback, _ message: String) {
        let isCurrent = state.withLock { state in
            state.playlist.noteFailed(playback.entry.id)
            guard state.current?.item === playback.item, !state.hasEnded else { return false }
            state.hasEnded = true
            return true
        }
        if isCurrent { control?.fileEnded("error", error: message) }
        failOnce(playback, message)
        if isCurrent { endOrPlayNext() }
    }

    /// Plays the next input or stops. The player does not end the current input itself.
    func endOrPlayNext() {
        if let playback = makeNext(state.withLock { $0.remaining }) {
            begin(playback)
        } else if options.watches, state.withLock({ !$0.isStopping && $0.playlist.isLooping }) {
            waitForFiles()
        } else if options.isIdle {
            becomeIdle()
        } else {
            state.withLock { $0.wasPlayedToEnd = !$0.isStopping }
            stop()
        }
    }

    /// Returns the current playback if the player has stopped in a loop, which it does if the duration of a pass is 0.
    /// Returns nil otherwise.
    func abandonedPlayback() -> InputPlayback? {
        state.withLock { state in
            guard let playback = state.current, !state.hasEnded, !state.isStopping, state.repeatMode == .loop
            else { return nil }
            state.hasEnded = true
            state.playlist.noteFailed(playback.entry.id)
            return playback
        }
    }
}
