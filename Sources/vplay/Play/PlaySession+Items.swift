import PlayheadCore
import Synchronization

extension PlaySession {
    /// Plays the next input if none is queued.
    func playNext() { playNext(orEndBy: stopWhenPaused) }

    /// Plays the next input. If there is none, waits for files, becomes idle or calls `end`, as the options say.
    func playNext(orEndBy end: () -> Void) {
        if let playback = makeFollowing() {
            begin(playback)
        } else if options.watches, state.withLock({ !$0.isStopping && $0.playlist.isLooping }) {
            waitForFiles()
        } else {
            state.withLock { $0.noteEnd() }
            if options.isIdle { becomeIdle() } else { end() }
        }
    }

    /// Creates the playback that follows when nothing plays. If the entry of the saved position and those after it
    /// cannot be played, those before it follow.
    ///
    /// - Returns: The playback, or nil at the end of the list.
    private func makeFollowing() -> InputPlayback? {
        let remaining = state.withLock { $0.remaining }
        if let playback = makeNext(remaining) { return playback }
        let hasSkipped = state.withLock { $0.resume != nil && $0.playlist.returnToSkipped() }
        return hasSkipped ? makeNext(remaining) : nil
    }

    /// Creates the next playback, and skips inputs that cannot be configured.
    ///
    /// - Parameter remaining: The remainder of `--duration`.
    /// - Returns: The playback, or nil at the end of the list.
    func makeNext(_ remaining: MediaTime?) -> InputPlayback? {
        while let (entry, round) = nextEntry() {
            let resume = state.withLock { state -> MediaTime? in
                guard let saved = state.resume, saved.position > .zero,
                    saved.location.hasSameBytes(as: entry.input.argument)
                else { return nil }
                return saved.position
            }
            switch items.make(entry, remaining: repeatsSingleInput ? nil : remaining, resume: resume) {
            case .failure(let error):
                // A repeated list ends when none of its entries can be played any more.
                let hasEnded = state.withLock { state in
                    state.playlist.noteFailed(entry.id)
                    return state.hasEnded
                }
                // A command may have ended the current entry.
                if hasEnded { control?.fileEnded("stop") }
                control?.fileFailed(entry.id, error: error.message)
                if failOnce(entry, error.message, nil) { logFailure(of: entry, error.message) }
            case .success(var playback):
                playback.round = round
                if let reason = playback.missingStart { warnOfStart(entry, reason) }
                if options.reportsSubtitles { reportText(of: playback.item) }
                control?.fileRetried(entry.id)
                return playback
            }
        }
        return nil
    }

    /// Returns the next entry of the playlist and its round, or nil at the end of the list.
    private func nextEntry() -> (entry: PlaylistEntry, round: Int)? {
        state.withLock { state in
            guard !state.isStopping, let entry = state.playlist.next() else { return nil }
            return (entry, state.playlist.round)
        }
    }

    /// Prints one warning for an input without the position of `--start`.
    private func warnOfStart(_ entry: PlaylistEntry, _ reason: String) {
        guard !options.isQuiet, state.withLock({ $0.reportedStarts.insert(entry.id).inserted }) else {
            return
        }
        Console.shared.printError("warning: \(entry.input.name): --start has no effect: \(reason)")
    }

    /// Makes a playback the current one, and plays it.
    func begin(_ playback: InputPlayback) {
        let (isFirst, isPaused) = state.withLock { state in
            defer { state.makeCurrent(playback) }
            state.isPausedByUser = playback.entry.options.isPaused ?? state.isPausedByUser
            return (state.current == nil, state.isPausedByUser)
        }
        // An interruption that this ends may play while the entries are paused.
        if isPaused { player.pause() }
        if player.repeatMode == .loop || repeatsSingleInput, playback.isStartKnown { watchDuration() }
        player.actionAtItemEnd = queuesNext ? .advance : .pause
        control?.fileStarted(playback.entry, isReady: false)
        // The first item is set last. Later the item is set before the rate, which is 0 after the end of an item.
        if isFirst, !isPaused { player.play() }
        player.replaceCurrentItem(with: playback.item)
        if !isFirst, !isPaused { player.play() }
    }

    // MARK: Seams

    /// Whether the next input is queued before the end. In reverse each item must be opened to find its end.
    private var queuesNext: Bool { !isSingle && options.rate > 0 }

    /// Queues the next input once the current one is ready, so that it follows without a gap.
    func queueNext() {
        guard queuesNext else { return }
        let (playback, passStart, remaining) = state.withLock { state in
            (state.hasEnded || state.next != nil ? nil : state.current, state.passStart, state.remaining)
        }
        guard let playback, playback.item.status == .readyToPlay, playback.isStartKnown || remaining == nil
        else { return }
        let end = playback.item.expectedEnd
        if !end.isNumeric || end - playback.start >= InputPlayback.minimumPassDuration {
            state.withLock { $0.playlist.notePlayed(playback.entry.id) }
        }
        let left = remaining.map { end.isNumeric ? $0 - max(.zero, end - passStart) : .zero }
        // The player pauses after the last input. An input that is added later follows with a gap.
        guard left.map({ $0 > InputPlayback.roundingTolerance }) ?? true, let next = makeNext(left) else {
            player.actionAtItemEnd = .pause
            return
        }
        state.withLock { $0.next = next }
        player.insert(next.item, after: nil)
        player.actionAtItemEnd = .advance
    }

    /// Handles the automatic transition to the queued item.
    func didAdvance(to item: PlayerItem?) {
        guard let item else {
            // The queue became empty before the session ended it, so the player has to be paused here.
            let (isStopping, isAbandoned) = state.withLock { state in
                (state.isStopping, state.current != nil && state.hasEnded && state.next == nil)
            }
            if isStopping { player.pause() }
            // A remote client removed the item to which the player had just advanced.
            if !isStopping, isAbandoned, control != nil { endOrPlayNext() }
            return
        }
        let advance = state.withLock { state -> (InputPlayback, MediaTime?)? in
            guard let next = state.next, next.item === item else { return nil }
            state.makeCurrent(next)
            // `readyForDisplayChanged` is not sent again for an item that follows without a gap.
            state.current?.hasShown = true
            return (next, state.remaining)
        }
        // The previous input may have been longer or shorter than its declared duration.
        if let (playback, remaining) = advance {
            playback.limit(to: remaining)
            if let isPaused = playback.entry.options.isPaused { setPaused(isPaused) }
            control?.fileStarted(playback.entry, isReady: item.status == .readyToPlay)
            control?.playbackRestarted()
        }
        queueNext()
    }

    /// Continues if the player stopped at the end of an input before the next one was queued.
    func didStopAtEnd() {
        if let playback = abandonedPlayback() {
            failOnce(playback.entry, "cannot repeat: the duration of a pass is 0", playback.item)
            return endOrPlayNext()
        }
        _ = advanceToQueued()
    }

    /// Advances to the queued input if the current one has ended, and the player does not advance itself.
    ///
    /// - Returns: False if there is none.
    func advanceToQueued() -> Bool {
        let (mustAdvance, isPaused) = state.withLock { state in
            (state.hasEnded && state.next != nil && !state.isStopping, state.isPausedByUser)
        }
        guard mustAdvance else { return false }
        player.advanceToNextItem()
        if !isPaused { player.play() }
        return true
    }

    // MARK: Ends

    /// A completed pass.
    private struct EndedPass {
        /// Whether the player has already started the next pass.
        let isLooping: Bool
        /// Whether another input is queued.
        let isFollowed: Bool
        /// Whether the pass is too short to be repeated.
        let isShort: Bool
        /// The number of completed passes of the session.
        let count: Int
        let remaining: MediaTime?
    }

    /// Handles the end of a pass at `time`.
    func passEnded(_ item: PlayerItem, at time: MediaTime) {
        guard !isInterruption(item) else { return }
        let end = reportedEnd(of: item, at: time)
        let isComplete = checkPlayedContent(item, until: end)
        let isReverse = options.rate < 0
        let latestStart = item.duration.isNumeric ? item.duration : .positiveInfinity
        let pass = state.withLock { state -> EndedPass? in
            guard let playback = state.current, playback.item === item, !state.hasEnded else { return nil }
            // A saved position may be at the end, or past it if the file has become shorter. The next pass starts at zero.
            let isAtSavedPosition = playback.isResumed && (isReverse || state.passStart > .zero)
            let length = isReverse ? min(playback.start, latestStart) - end : end - state.passStart
            let isShort = !isAtSavedPosition && length < InputPlayback.minimumPassDuration
            if isShort {
                state.playlist.noteFailed(playback.entry.id)
            } else {
                state.playlist.notePlayed(playback.entry.id)
                if isComplete, state.faults[playback.entry.id]?.item !== item {
                    state.faults[playback.entry.id] = nil
                }
                state.emptyLaps = 0
            }
            state.passes += 1
            state.spend(until: end)
            let isLooping = state.repeatMode == .loop
            state.hasEnded = !isLooping
            return EndedPass(
                isLooping: isLooping,
                isFollowed: state.next != nil,
                isShort: isShort,
                count: state.passes,
                remaining: state.remaining
            )
        }
        guard let pass else { return }
        if !pass.isLooping { control?.fileEnded("eof") }
        if pass.isShort, options.repeats != .times(1), let playback = state.withLock({ $0.current }) {
            failOnce(playback.entry, "cannot repeat: the duration of a pass is 0", playback.item)
        }
        if let remaining = pass.remaining, remaining <= InputPlayback.roundingTolerance {
            if pass.isLooping || pass.isFollowed { stopAtLimit() } else { stopWhenPaused() }
            return
        }
        guard pass.isLooping else {
            if !pass.isFollowed { playNext() }
            return
        }
        if repeatsSingleInput, case .times(let times) = options.repeats, pass.count == times - 1 {
            player.repeatMode = .once
        }
        watchDuration()
    }

    /// Returns the time of an end. In real time it is reported slightly late.
    private func reportedEnd(of item: PlayerItem, at time: MediaTime) -> MediaTime {
        guard !options.isUntimed else { return time }
        if options.rate < 0 {
            let end = item.reversePlaybackEndTime
            return max(time, end.isNumeric ? end : .zero)
        }
        let end = item.expectedEnd
        return end.isNumeric ? min(time, end) : time
    }

    /// Handles the failure of an input.
    ///
    /// - Parameters:
    ///   - item: The item that failed.
    ///   - error: The error.
    ///   - time: The time of the failure if a part of the input was played, or nil.
    func inputFailed(_ item: PlayerItem, _ error: PlaybackError?, at time: MediaTime? = nil) {
        if interruptionFailed(item, error) { return }
        let end = time.map { reportedEnd(of: item, at: $0) }
        let failed = state.withLock { state -> (playback: InputPlayback, isQueued: Bool)? in
            if let next = state.next, next.item === item {
                state.next = nil
                state.playlist.noteFailed(next.entry.id)
                return (next, true)
            }
            guard let playback = state.current, playback.item === item, !state.hasEnded else { return nil }
            state.hasEnded = true
            if let end {
                // A file that fails where it was continued begins again in the next run.
                let distance = max(end - playback.start, playback.start - end)
                state.hasFailedInPart = distance >= InputPlayback.minimumPassDuration
                state.playlist.notePlayed(playback.entry.id)
                state.spend(until: end)
            } else {
                state.playlist.noteFailed(playback.entry.id)
            }
            return (playback, false)
        }
        guard let failed else { return }
        if failed.isQueued {
            control?.fileFailed(failed.playback.entry.id, error: reason(error))
        } else {
            control?.fileEnded("error", error: reason(error))
        }
        // A file of a watched folder may have disappeared a moment ago.
        let isGone = options.watches && (error?.underlying as? MediaError)?.code == .notFound
        let entry = failed.playback.entry
        if !isGone, failOnce(entry, reason(error), item), !hasPlayed(item) {
            logFailure(of: entry, error?.message ?? reason(error))
        }
        if failed.isQueued {
            queueNext()
        } else if state.withLock({ $0.next == nil }) {
            playNext()
        }
    }

    // MARK: Duration

    /// Notes the start of the current playback if only the opening of its item has found it, and observes the end of
    /// `--duration` from there.
    ///
    /// - Parameters:
    ///   - item: The item that plays.
    ///   - time: Its time when it begins to play.
    func noteStart(of item: PlayerItem?, at time: MediaTime) {
        let isNew = state.withLock { state in
            guard state.remaining != nil, !state.hasEnded, let playback = state.current,
                playback.item === item, !playback.isStartKnown, playback.item.status == .readyToPlay
            else { return false }
            // Other media begin at zero, also if their first frame is due later.
            let start = playback.item.asset.media?.chosenStart == nil ? .zero : time
            state.current?.noteStart(start)
            state.passStart = start
            return true
        }
        guard isNew else { return }
        watchDuration()
        queueNext()
    }

    /// Observes the end of `--duration` in a loop, where it may be in any pass, and in an item whose start was not
    /// known when it was made. Otherwise it is the end of the item.
    private func watchDuration() {
        let (start, remaining) = state.withLock { ($0.passStart, $0.remaining) }
        guard let remaining else { return }
        // The end is exclusive: a frame due at it is not played.
        let end = start + remaining - ItemMaker.smallestStep
        let observer = player.addBoundaryTimeObserver(forTimes: [end]) { [weak self] in
            guard let self, !isInterrupted else { return }
            // A loop ends with the command, and not with its range.
            if !repeatsSingleInput, player.repeatMode == .once { noteRangeEnd() }
            stopAtLimit()
        }
        state.withLock { $0.durationObserver = observer }
    }
}

extension PlaySession.State {
    /// Makes the playback of another input the current one.
    fileprivate mutating func makeCurrent(_ playback: InputPlayback) {
        previous = current
        current = playback
        next = nil
        hasEnded = false
        wasPlayedToEnd = false
        hasFailedInPart = false
        durationObserver = nil
        passStart = playback.start
        isWaiting = false
        playlist.noteStarted(playback.entry.id)
    }

    /// Notes that no entry follows. A saved position at which playback has not continued stays, as of files that are not
    /// mounted, and that of an entry that failed after a part of it, as of a server that is gone.
    mutating func noteEnd() { wasPlayedToEnd = !isStopping && resume == nil && !hasFailedInPart }

    /// Subtracts the played time from `--duration` in the middle of a pass.
    mutating func spendUntil(_ time: MediaTime) { spend(until: time) }

    /// Subtracts the played time of a pass from `--duration`.
    fileprivate mutating func spend(until time: MediaTime) {
        // A start past the end plays nothing.
        if let left = remaining { remaining = left - max(.zero, time - passStart) }
        passStart = .zero
    }
}
