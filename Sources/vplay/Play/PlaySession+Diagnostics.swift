import Dispatch
import FoundationEssentials
import PlayheadCore
import Synchronization

/// Messages about parts of an input that cannot be played or were lost.
extension PlaySession {
    /// Checks an item that has become ready for tracks that cannot be played.
    func didBecomeReady(_ item: PlayerItem) {
        guard let playback = playback(of: item) else { return }
        if let file = playback.file { readingQueue.async { file.noteIdentity() } }
        if options.rate < 0, !isInterruption(item), !canPlayReverse(item) {
            return reject(playback, "cannot be played in reverse: this requires seekable video")
        }
        if !item.tracks.contains(where: { $0.isEnabled && $0.assetTrack.mediaType != .subtitle }) {
            return reject(playback, "all playable tracks are disabled")
        }
        // Playback continues here, or with another entry. Until then the saved position stays.
        if !isInterruption(item) { state.withLock { $0.resume = nil } }
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
        failOnce(playback.entry, "its \(type.rawValue) cannot be played\(reason)", playback.item)
    }

    /// Checks at the end of a pass whether frames and the declared duration were played.
    ///
    /// - Returns: Whether the pass was as long as declared.
    func checkPlayedContent(_ item: PlayerItem, until end: MediaTime) -> Bool {
        guard let playback = playback(of: item) else { return true }
        if options.decodesVideo, options.rate > 0, !playback.hasShown, expectsFrame(of: item) {
            failOnce(playback.entry, "its video cannot be decoded: no frame was decoded", item)
        }
        guard let expected = declaredEnd(of: item), end < expected - Self.tolerance else { return true }
        guard let file = playback.file, let byteCount = item.asset.media?.byteCount else { return false }
        readingQueue.async(group: fileChecks) { [self] in
            guard file.isShorter(than: byteCount) else { return }
            let (played, whole) = (decimalSeconds(end) ?? "?", decimalSeconds(expected) ?? "?")
            let message = "the file was truncated during playback: it ended at \(played) of \(whole) s"
            failOnce(playback.entry, message, item)
        }
        return false
    }

    /// Returns whether the video of an item begins before the end that is set for the item. Audio may begin earlier.
    private func expectsFrame(of item: PlayerItem) -> Bool {
        let limit = item.forwardPlaybackEndTime
        return item.tracks.contains { track in
            track.isEnabled && track.assetTrack.mediaType == .video && !track.assetTrack.isAttachedPicture
                && (!limit.isNumeric || limit > ItemMaker.firstFrameTime(of: track.assetTrack))
        }
    }

    /// Returns the end of playback that a file declares, or nil if it declares none.
    private func declaredEnd(of item: PlayerItem) -> MediaTime? {
        let duration = item.asset.duration
        guard options.rate > 0, item.asset.url.isFileURL, duration.isNumeric else { return nil }
        let limit = item.forwardPlaybackEndTime
        return limit.isNumeric ? min(limit, duration) : duration
    }

    /// The time for which the end of the command waits for a file system.
    private static let checkingInterval = DispatchTimeInterval.seconds(2)

    /// Waits for the checks of files, within limits.
    func finishFileChecks() async {
        await withCheckedContinuation { continuation in
            let isDone = Once()
            let queue = DispatchQueue.global()
            fileChecks.notify(queue: queue) { if isDone.claim() { continuation.resume() } }
            queue.asyncAfter(deadline: .now() + Self.checkingInterval) {
                if isDone.claim() { continuation.resume() }
            }
        }
    }

    /// The tolerance for rounded durations.
    private static let tolerance = MediaTime(value: 1, timescale: 10)

    /// Prints an error of an entry: the first one of an item, unless it is the one of the item before. After a pass without
    /// an error it is printed again.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - message: The error.
    ///   - item: The item that has the error, or nil if there is none.
    /// - Returns: Whether the error was printed.
    @discardableResult
    func failOnce(_ entry: PlaylistEntry, _ message: String, _ item: PlayerItem?) -> Bool {
        let isNew = state.withLock { state in
            let last = state.faults[entry.id]
            guard item == nil || last?.item !== item else { return false }
            state.faults[entry.id] = PlaySession.Fault(message: message, item: item)
            return last?.message != message
        }
        if isNew { fail("\(entry.input.name): \(message)") }
        return isNew
    }

    /// Returns the current, next or previous playback that has an item, or nil.
    func playback(of item: PlayerItem) -> InputPlayback? {
        state.withLock { state in
            let playbacks = [state.current, state.next, state.previous].compactMap(\.self)
            return (playbacks + state.interruptions).first { $0.item === item }
        }
    }

    /// Rejects an input that the player would play indefinitely without output.
    private func reject(_ playback: InputPlayback, _ message: String) {
        if rejectInterruption(playback.item, message) { return }
        passes.withLock { $0.reject(playback.item) }
        let isCurrent = state.withLock { state in
            state.playlist.noteFailed(playback.entry.id)
            guard state.current?.item === playback.item, !state.hasEnded else { return false }
            state.hasEnded = true
            return true
        }
        if isCurrent { control?.fileEnded("error", error: message) }
        if failOnce(playback.entry, message, playback.item) { logFailure(of: playback.entry, message) }
        if isCurrent { endOrPlayNext() }
    }

    /// Plays the next input or stops. The player does not end the current input itself.
    func endOrPlayNext() {
        // An input whose event of readiness is handled late may have one queued after it already.
        if advanceToQueued() { return }
        playNext(orEndBy: stop)
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
