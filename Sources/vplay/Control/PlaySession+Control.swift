import Dispatch
import FoundationEssentials
import PlayheadCore
import Synchronization

/// The operations of remote clients on a session. All calls are made on the callback queue of the player.
extension PlaySession {
    /// The effect of `loadfile` on the playlist.
    enum LoadMode: String {
        case replace
        case append
        /// Append, and play if nothing plays.
        case appendPlay = "append-play"
        /// Insert after the current entry.
        case insertNext = "insert-next"
        case insertNextPlay = "insert-next-play"
        /// Insert at an index.
        case insertAt = "insert-at"
        case insertAtPlay = "insert-at-play"

        init?(_ flag: String) {
            self.init(rawValue: flag)
        }
    }

    /// Returns the item that plays.
    ///
    /// - Throws: `.propertyUnavailable` if there is none, or it is not ready.
    func readyItem() throws(ControlError) -> PlayerItem {
        guard let loadedPlayback else { throw .propertyUnavailable }
        return loadedPlayback.item
    }

    /// The playback that is played, or nil if there is none, or its item is not ready.
    var loadedPlayback: InputPlayback? {
        let playback = activePlayback
        return playback?.item.status == .readyToPlay ? playback : nil
    }

    /// The playback that is played: an interruption once it has begun, otherwise the current one.
    var activePlayback: InputPlayback? {
        let (interruptions, current) = state.withLock { ($0.interruptions, $0.current) }
        let item = player.currentItem
        return interruptions.first { $0.item === item } ?? current
    }

    /// Whether neither an entry of the playlist nor an interruption plays.
    var isInactive: Bool {
        let (isInterrupted, hasCurrent) = state.withLock { (!$0.interruptions.isEmpty, $0.current != nil) }
        return !hasCurrent && (!isInterrupted || player.currentItem == nil)
    }

    /// The index of the current entry in the playlist, or nil.
    var currentIndex: Int? {
        state.withLock { state in state.current.flatMap { state.playlist.index(of: $0.entry.id) } }
    }

    /// The duration of a frame of the current video, or a tenth of a second.
    var frameInterval: MediaTime {
        let track = activePlayback?.item.tracks.first { $0.isEnabled && $0.assetTrack.mediaType == .video }?
            .assetTrack
        guard let rate = track?.nominalFrameRate?.doubleValue, (1...120).contains(rate) else {
            return MediaTime(value: 1, timescale: 10)
        }
        return .seconds(1 / rate)
    }

    // MARK: Position

    /// Seeks to a time, which is clamped to the item.
    ///
    /// - Throws: `.propertyUnavailable` if no item is ready.
    func seek(toSeconds seconds: Double, isExact: Bool = true) throws(ControlError) {
        let item = try readyItem()
        var time = max(.zero, MediaTime.seconds(seconds))
        if item.duration.isNumeric { time = min(time, item.duration) }
        control?.emit("seek")
        let tolerance = isExact ? MediaTime.zero : .positiveInfinity
        player.seek(to: time, toleranceBefore: tolerance, toleranceAfter: tolerance) {
            [weak self] isFinished in
            guard isFinished, let self else { return }
            player.callbackQueue.async { self.control?.playbackRestarted(afterSeek: true) }
        }
    }

    /// Seeks to a part of the duration.
    ///
    /// - Throws: `.propertyUnavailable` if no item is ready, or its duration is unknown.
    func seek(toPercent percent: Double, isExact: Bool = true) throws(ControlError) {
        let duration = try readyItem().duration
        guard duration.isNumeric else { throw .propertyUnavailable }
        try seek(toSeconds: duration.seconds * percent / 100, isExact: isExact)
    }

    /// Seeks to a chapter, or to the start if its number is negative. The one after the last of several ends what plays,
    /// as in mpv.
    ///
    /// - Parameter index: The number of the chapter, from 0.
    /// - Throws: `.propertyUnavailable` if no item is ready, or it has no chapters, and `.propertyError` for another
    ///   chapter than the only one, which says little about the file.
    func seek(toChapter index: Int) throws(ControlError) {
        let chapters = try readyItem().asset.chapters
        guard !chapters.isEmpty else { throw .propertyUnavailable }
        guard index >= chapters.count else {
            return try seek(toSeconds: index < 0 ? 0 : chapters[index].timeRange.start.seconds)
        }
        guard chapters.count > 1 else { throw .propertyError }
        if isInterrupted {
            player.advanceToNextItem()
        } else if !move(by: 1) {
            stopPlaying(keepsPlaylist: true)
        }
    }

    /// Sets a point of the A-B loop, and repeats between both if both are set.
    func setLoopPoint(_ point: any WritableKeyPath<ControlLoop, MediaTime?> & Sendable, _ time: MediaTime?) {
        guard let control else { return }
        control.loop[keyPath: point] = time
        control.loopObserver = nil
        guard let start = control.loop.start, let end = control.loop.end, start < end else { return }
        let (first, last) = options.rate < 0 ? (end, start) : (start, end)
        control.loopObserver = player.addBoundaryTimeObserver(forTimes: [last]) { [weak self] in
            guard let self else { return }
            player.callbackQueue.async {
                guard self.control?.loop.end != nil, !self.isInterrupted else { return }
                self.player.seek(to: first, toleranceBefore: .zero, toleranceAfter: .zero)
            }
        }
    }

    // MARK: The playlist

    /// Reads folders and playlist files on a queue of their own, because a file system may take any time.
    ///
    /// - Parameters:
    ///   - arguments: Paths and URLs.
    ///   - isPlaylist: Whether the arguments are playlist files, whatever their names.
    ///   - handler: Called on the callback queue with the inputs.
    func readInputs(
        _ arguments: [String],
        isPlaylist: Bool = false,
        _ handler: @escaping @Sendable (InputList) -> Void
    ) {
        let (queue, options) = (player.callbackQueue, options)
        readingQueue.async { [weak self] in
            guard let self else { return }
            let source = state.withLock { state in
                defer { state.nextSource += arguments.count }
                return state.nextSource
            }
            let list = InputList(
                arguments,
                options.folderFilter,
                isRecursive: options.isRecursive,
                source: source,
                readsPlaylists: isPlaylist
            )
            queue.async { handler(list) }
        }
    }

    /// Adds inputs to the playlist. If an option needs their tracks, they are opened before.
    ///
    /// - Parameters:
    ///   - list: The inputs.
    ///   - mode: What happens with the other entries.
    ///   - index: The index of the first new entry, or nil for the one of the mode.
    ///   - loadOptions: The options of each entry.
    ///   - playsAtOnce: Whether the first new entry is played instead of the current one, as with `.replace`.
    ///   - handler: Called on the callback queue with the identifiers of the entries, or nil if there is no valid
    ///     input, or the session has ended.
    func load(
        _ list: InputList,
        _ mode: LoadMode,
        at index: Int?,
        _ loadOptions: LoadOptions,
        playsAtOnce: Bool = false,
        _ handler: @escaping @Sendable ([Int]?) -> Void
    ) {
        for problem in list.problems { fail(problem) }
        guard !list.inputs.isEmpty else { return handler(nil) }
        let files = list.inputs.map { ($0, items.asset(of: $0)) }
        guard items.needsLoading(start: loadOptions.start) else {
            return handler(add(files, mode, at: index, loadOptions, playsAtOnce: playsAtOnce))
        }
        // An entry that is played before would be played without the option.
        Task { [items, queue = player.callbackQueue] in
            await items.load(files.map(\.1))
            queue.async { [self] in
                handler(add(files, mode, at: index, loadOptions, playsAtOnce: playsAtOnce))
            }
        }
    }

    /// Adds files to the playlist; see `load`.
    private func add(
        _ files: [(Input, Asset)],
        _ mode: LoadMode,
        at index: Int?,
        _ loadOptions: LoadOptions,
        playsAtOnce: Bool
    ) -> [Int]? {
        guard !state.withLock({ $0.isOver || $0.isStopping }) else { return nil }
        let (added, first, isIdle) = state.withLock { state -> ([PlaylistEntry], Int?, Bool) in
            if mode == .replace { state.playlist.removeAll(except: nil) }
            let isAtIndex = mode == .insertAt || mode == .insertAtPlay
            var index = isAtIndex ? index.map { min(max(0, $0), state.playlist.entries.count) } : nil
            if mode == .insertNext || mode == .insertNextPlay {
                index = state.playlist.index(after: state.current?.entry.id)
            }
            let added = state.playlist.insert(files, loadOptions, at: index)
            return (added, state.playlist.index(of: added[0].id), state.current == nil)
        }
        if mode == .replace { removeQueued() }
        let startsIfIdle = [.appendPlay, .insertNextPlay, .insertAtPlay].contains(mode)
        if let first, mode == .replace || playsAtOnce || (isIdle && startsIfIdle) {
            play(at: first)
        } else {
            requeue()
        }
        control?.checkLater()
        return added.map(\.id)
    }

    /// Queues the entry that follows the current one after the playlist has changed.
    func requeue() {
        let queued = state.withLock { state -> InputPlayback? in
            // The player may have advanced to the queued item already, which the next event reports.
            guard !state.hasEnded else { return nil }
            let follows = state.playlist.follow(state.current?.entry.id, queued: state.next?.entry.id)
            guard !follows, let next = state.next else { return nil }
            state.next = nil
            return next
        }
        if let queued { player.remove(queued.item) }
        queueNext()
    }

    /// Removes the queued item, because another entry is to follow.
    func removeQueued() {
        let queued = state.withLock { state in
            defer { state.next = nil }
            return state.next
        }
        if let queued { player.remove(queued.item) }
    }

    /// Removes the entry at an index. If it plays, the next one follows; after the last one, the first of the next pass if
    /// the list is repeated. If it is interrupted, that one follows the interruption.
    ///
    /// - Returns: False if there is no such entry.
    func removeEntry(at index: Int?) -> Bool {
        let result = state.withLock { state -> (isCurrent: Bool, next: Int?)? in
            guard let index, state.playlist.entries.indices.contains(index) else { return nil }
            let isCurrent = state.playlist.entries[index].id == state.current?.entry.id
            state.playlist.remove(at: index)
            return (isCurrent, state.playlist.indexToPlay(from: index))
        }
        guard let result else { return false }
        if !result.isCurrent {
            requeue()
        } else if isInterrupted {
            endInterrupted(followedBy: result.next)
        } else if let next = result.next {
            play(at: next)
        } else {
            stopPlaying(keepsPlaylist: true)
        }
        return true
    }

    /// Removes all entries but the current one.
    func clearPlaylist() {
        state.withLock { $0.playlist.removeAll(except: $0.current?.entry.id) }
        requeue()
    }

    /// Moves an entry before the one at another index.
    ///
    /// - Returns: False if there is no such entry.
    func moveEntry(from index: Int, to target: Int) -> Bool {
        let isValid = state.withLock { state in
            guard state.playlist.entries.indices.contains(index), target >= 0 else { return false }
            state.playlist.move(from: index, to: target, current: state.current?.entry.id)
            return true
        }
        if isValid { requeue() }
        return isValid
    }

    /// Shuffles the playlist. The current entry plays on.
    func shufflePlaylist() {
        var generator = SystemRandomNumberGenerator()
        state.withLock { $0.playlist.shuffle(current: $0.current?.entry.id, using: &generator) }
        requeue()
    }

    func setPlaylistLooping(_ isLooping: Bool) {
        state.withLock { $0.playlist.isLooping = isLooping }
        requeue()
    }

    // MARK: End

    /// Stops the current entry. Without `--idle` the session ends.
    func stopPlaying(keepsPlaylist: Bool) {
        control?.fileEnded("stop")
        endPass()
        if !keepsPlaylist { state.withLock { $0.playlist.removeAll(except: nil) } }
        removeQueued()
        if options.isIdle { becomeIdle() } else { stop() }
    }

    /// Waits for a client to load something.
    func becomeIdle() {
        state.withLock { state in
            state.current = nil
            state.previous = nil
            state.next = nil
            state.hasEnded = false
            state.isWaiting = false
            state.playlist.jump(to: state.playlist.entries.count)
        }
        player.pause()
        player.removeAllItems()
        player.replaceCurrentItem(with: nil)
        manager?.ready()
        control?.emit("idle")
        control?.checkLater()
    }

    /// Ends the session with an exit status.
    func quit(code: Int32) {
        if code != 0 { state.withLock { $0.status = .requested(code) } }
        control?.fileEnded("quit")
        stop()
    }
}
