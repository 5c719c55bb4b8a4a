import Dispatch
import PlayheadCore
import Synchronization

/// Folders that are followed.
extension PlaySession {
    /// Begins to follow the folders of `--watch`.
    func watchFolders() {
        let watchers = options.list.folders.map { folder in
            FolderWatcher(
                folder.argument,
                source: folder.source,
                isRecursive: options.isRecursive,
                filter: options.folderFilter
            ) { [options] sentence in
                if !options.isQuiet { Console.shared.printError("warning: \(sentence)") }
            } _: { [weak self] changes in
                self?.receive(changes)
            }
        }
        state.withLock { $0.watchers = watchers }
        for watcher in watchers { watcher.start() }
    }

    /// Receives changes on the queue of a watcher.
    private func receive(_ changes: FolderWatcher.Changes) {
        for name in changes.rejected { fail("\(name): not a media file") }
        let added = changes.joined.map { ($0, items.asset(of: $0)) }
        let queue = player.callbackQueue
        guard options.needsLoading else {
            return queue.async { [self] in apply(added, left: changes.left) }
        }
        // A file may disappear or change while it is loaded.
        folderChanges.add { [self] in
            await items.load(added.map(\.1))
            queue.async { [self] in apply(added, left: changes.left) }
        }
    }

    /// Changes the playlist, on the callback queue. What plays continues, even if its file has disappeared.
    private func apply(_ added: [(Input, Asset)], left: Set<[UInt8]>) {
        let target = state.withLock { $0.apply(added, left: left) }
        guard let target else { return }
        if !target.isWaiting {
            requeue()
        } else if !added.isEmpty, !isInterrupted, let index = target.index {
            play(at: index)
        }
        control?.checkLater()
    }

    /// Waits for files, because no entry can be played. The last frame stays. If there are entries that failed, they are
    /// tried again after 1 s, then after twice the time each, up to 60 s.
    func waitForFiles() {
        reportReadinessLater()
        guard let lap = state.withLock({ $0.beginWaiting() }) else { return }
        let delay = Self.delay(afterEmptyLaps: lap)
        player.callbackQueue.asyncAfter(deadline: .now() + .seconds(delay)) { [weak self] in
            // An attempt would replace an interruption, at whose end the entries are tried.
            guard let self, !isInterrupted else { return }
            if state.withLock({ $0.retry(afterLap: lap) }) { playNext() }
        }
    }

    /// Reports readiness to the service manager if the session still waits when the folders have been read, and new
    /// files are complete. The manager would end a command that is not ready for minutes.
    private func reportReadinessLater() {
        guard let manager else { return }
        player.callbackQueue.asyncAfter(deadline: .now() + .seconds(3)) { [weak self] in
            if self?.state.withLock({ $0.isWaiting }) == true { manager.ready() }
        }
    }

    /// Tries the entries again after an interruption that was played while the session waited for files.
    func endWaiting() {
        if state.withLock({ $0.endWaiting() }) { playNext() }
    }

    /// Returns the seconds to wait after laps in which nothing was played.
    static func delay(afterEmptyLaps count: Int) -> Int { count > 6 ? 60 : min(60, 1 << max(0, count - 1)) }
}

extension PlaySession.State {
    /// Changes the playlist as the files of a folder have.
    ///
    /// - Returns: The index of the entry to play if the session waits for files, or nil if none has appeared that it
    ///   waits for. Nothing if the session has ended.
    mutating func apply(_ added: [(Input, Asset)], left: Set<[UInt8]>) -> (index: Int?, isWaiting: Bool)? {
        guard !isOver, !isStopping else { return nil }
        let gone = playlist.entries.filter { left.contains($0.input.argumentBytes) }.map(\.id)
        for id in gone { faults[id] = nil }
        reportedStarts.subtract(gone)
        playlist.retire(Set(gone))
        let first = playlist.merge(added)
        playlist.removeRetired(except: current?.entry.id)
        if isWaiting, let resume,
            added.contains(where: { $0.0.argument.hasSameBytes(as: resume.location) })
        {
            isWaitingForSavedFile = false
            seekToResume()
            return (playlist.nextIndex, true)
        }
        if isWaitingForSavedFile { return (nil, true) }
        let index = first.flatMap { playlist.index(of: $0) }
        return (playlist.nextIndex == 0 ? 0 : index, isWaiting)
    }

    /// Notes that no entry can be played until a file appears.
    ///
    /// - Returns: The number of laps in a row in which nothing was played, or nil if there is no entry to try again.
    mutating func beginWaiting() -> Int? {
        current = nil
        previous = nil
        next = nil
        hasEnded = false
        isWaiting = true
        playlist.jump(to: playlist.entries.count)
        playlist.removeRetired(except: nil)
        guard !playlist.isEmpty else { return nil }
        emptyLaps += 1
        return emptyLaps
    }

    /// Makes the entries that failed play again, that of a saved position first.
    ///
    /// - Parameter lap: The number that `beginWaiting()` has returned.
    /// - Returns: False if the session does not wait any more, or another lap has failed since: that of a file that has
    ///   appeared, after which the entries are tried again later.
    mutating func retry(afterLap lap: Int) -> Bool {
        guard isWaiting, emptyLaps == lap, !isOver, !isStopping else { return false }
        playlist.retry()
        seekToResume()
        return true
    }

    /// Makes all entries play again, beginning with that of the saved position, whose file may have appeared during an
    /// interruption.
    ///
    /// - Returns: False if the session does not wait, or there is no entry.
    mutating func endWaiting() -> Bool {
        !playlist.isEmpty && retry(afterLap: emptyLaps)
    }
}
