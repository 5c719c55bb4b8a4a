import Dispatch
import PlayheadCore
import Synchronization

/// Interruptions: an entry that is played at once, after which playback continues where it was.
extension PlaySession {
    /// Plays an entry at once, and then continues what plays where it was. Without anything that plays, the entry plays
    /// alone. A second interruption replaces the first. All calls are made on the callback queue of the player.
    ///
    /// The entry need not be in the playlist, which does not change. An entry that cannot be played is reported like any
    /// other, and interrupts nothing.
    ///
    /// - Parameter entry: The entry to play.
    func interrupt(with entry: PlaylistEntry) {
        guard !state.withLock({ $0.isOver || $0.isStopping }) else { return }
        switch items.make(entry, remaining: nil, isInterruption: true) {
        case .failure(let error):
            fail("\(entry.input.name): \(error.message)")
            logFailure(of: entry, error.message)
        case .success(let playback):
            let item = player.currentItem
            state.withLock { state in
                // One that plays continues until this one begins, or if it cannot be played.
                state.interruptions.removeAll { $0.item !== item }
                state.interruptions.append(playback)
            }
            if options.reportsSubtitles { reportText(of: playback.item) }
            player.playInterstitial(playback.item, atRate: player.defaultRate.magnitude)
        }
    }

    /// Plays the first input of a list at once, as `interrupt(with:)` does.
    ///
    /// - Parameters:
    ///   - list: A list with one input. Others are not played.
    ///   - loadOptions: The start and the end.
    /// - Returns: False if the list has no valid input.
    func interrupt(with list: InputList, _ loadOptions: LoadOptions = LoadOptions()) -> Bool {
        for problem in list.problems { fail(problem) }
        guard let input = list.inputs.first else { return false }
        let entry = PlaylistEntry(
            id: Self.interruptionID,
            input: input,
            asset: items.asset(of: input),
            options: loadOptions
        )
        guard
            items.needsLoading(start: loadOptions.start) || loadOptions.start != nil || loadOptions.end != nil
        else {
            interrupt(with: entry)
            return true
        }
        Task { [items, queue = player.callbackQueue] in
            await items.load([entry.asset])
            queue.async { self.interrupt(with: entry) }
        }
        return true
    }

    /// The identifier of an entry that is not in the playlist.
    private static let interruptionID = -1

    /// Whether an item is that of an interruption.
    func isInterruption(_ item: PlayerItem) -> Bool {
        state.withLock { state in state.interruptions.contains { $0.item === item } }
    }

    /// Whether an interruption is played, whose times are not those of the current entry.
    var isInterrupted: Bool { player.currentItem.map(isInterruption) ?? false }

    /// Whether the user has paused what plays. An interruption plays although the interrupted entry is paused.
    var isPaused: Bool {
        state.withLock { $0.isPausedByUser } && (!isInterrupted || player.rate == 0)
    }

    /// Plays what is current. An interruption plays forward also if the entries play in reverse.
    func playAtDefaultRate() {
        if isInterrupted { player.rate = player.defaultRate.magnitude } else { player.play() }
    }

    /// Reports that the item of an interruption has failed.
    ///
    /// - Returns: False if the item is another one.
    func interruptionFailed(_ item: PlayerItem, _ error: PlaybackError?) -> Bool {
        interruptionFailed(item, reason(error), logged: error?.message ?? reason(error))
    }

    /// Ends an interruption that cannot be played.
    ///
    /// - Returns: False if the item is another one.
    func rejectInterruption(_ item: PlayerItem, _ message: String) -> Bool {
        guard interruptionFailed(item, message, logged: message) else { return false }
        player.remove(item)
        return true
    }

    private func interruptionFailed(_ item: PlayerItem, _ message: String, logged: String) -> Bool {
        let failed = state.withLock { state -> InputPlayback? in
            state.interruptions.firstIndex { $0.item === item }.map { state.interruptions.remove(at: $0) }
        }
        guard let failed else { return false }
        fail("\(failed.entry.input.name): \(message)")
        if !hasPlayed(item) { logFailure(of: failed.entry, logged) }
        return true
    }

    /// Ends the interrupted entry. The interruption plays on, and another entry follows it.
    ///
    /// - Parameter index: The index of that entry, or nil if none follows.
    func endInterrupted(followedBy index: Int?) {
        control?.fileEnded("stop")
        endPass()
        let item = state.withLock { state in
            state.playlist.jump(to: index ?? state.playlist.entries.count)
            return state.current?.item
        }
        removeQueued()
        // The player has no item after the interruption, and `didAdvance(to:)` plays the next entry then.
        if let item { player.remove(item) }
    }

    /// Follows the end of an interruption.
    func interruptionEnded(_ item: PlayerItem) {
        state.withLock { state in state.interruptions.removeAll { $0.item === item } }
        control?.playbackRestarted()
        guard !isInterrupted else { return }
        applyNewRate()
        endWaiting()
    }

    /// Pauses or plays the current entry if that was requested during an interruption. The player continues at the
    /// rate before it.
    private func applyNewRate() {
        let (isNew, isPaused) = state.withLock { state in
            defer { state.hasNewRate = false }
            let isPlayed = state.current != nil && !state.hasEnded && !state.isStopping
            return (state.hasNewRate && isPlayed, state.isPausedByUser)
        }
        guard isNew else { return }
        if isPaused { player.pause() } else { player.play() }
    }
}
