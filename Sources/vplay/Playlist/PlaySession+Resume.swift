import Dispatch
import Glibc
import PlayheadCore
import Synchronization

/// Saving the position, and continuing there.
extension PlaySession {
    /// The time between two saves. It is shorter than the 10 s that may be lost, to leave time for the disk.
    private static let saveInterval = DispatchTimeInterval.seconds(8)

    /// Reads the saved position. It is called before the playlist begins.
    func restorePosition() {
        guard let file = options.resumeFile else { return }
        switch file.read() {
        case .missing: break
        case .ignored(let reason):
            warnOfSaving("\(file.path): \(reason); the position is not saved")
            state.withLock { $0.hasReportedSaving = true }
        case .state(let saved):
            state.withLock { state in
                state.resume = saved
                // A seed that the options have replaces the saved one.
                state.playlist.resume(
                    round: saved.round,
                    seed: options.hasRandomOrder ? saved.seed : nil
                )
                state.seekToResume()
                if repeatsSingleInput { state.restorePass() }
            }
        }
    }

    /// Whether a single input is in its last pass, in which an earlier session may have ended.
    var isInLastPass: Bool {
        guard case .times(let times) = options.repeats else { return false }
        return state.withLock(\.passes) >= times - 1
    }

    /// Waits for the file of the saved position if it may be in a folder that has not been read yet. If it does not
    /// appear within a second, the first entry is played.
    ///
    /// - Returns: False if there is no such position, or its entry is in the playlist.
    func waitForSavedFile() -> Bool {
        guard state.withLock({ $0.beginWaitingForSavedFile() }) else { return false }
        player.callbackQueue.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
            guard let self, state.withLock({ $0.endWaitingForSavedFile() }) else { return }
            // At the end of an interruption the entries are tried.
            if !isInterrupted { playNext() }
        }
        return true
    }

    /// Saves the position from now on.
    func startSaving() {
        guard options.resumeFile != nil else { return }
        let timer = DispatchSource.makeTimerSource(queue: savingQueue)
        timer.setEventHandler { [weak self] in self?.savePosition() }
        timer.schedule(deadline: .now() + Self.saveInterval, repeating: Self.saveInterval)
        timer.activate()
        let saving = SavingTimer(source: timer)
        state.withLock { $0.savingTimer = saving }
    }

    /// Saves the position, and reports an error once. Removes the file if everything was played.
    private func savePosition() {
        guard let file = options.resumeFile else { return }
        if state.withLock({ $0.wasPlayedToEnd }) { return file.remove() }
        guard let position = state.withLock({ $0.lastPosition }) ?? currentPosition() else { return }
        let code = file.write(position)
        guard code != 0 else { return }
        let isFirst = state.withLock { state in
            defer { state.hasReportedSaving = true }
            return !state.hasReportedSaving
        }
        guard isFirst else { return }
        warnOfSaving("\(file.path): \(String(cString: strerror(code)))")
    }

    private func warnOfSaving(_ sentence: String) {
        if !options.isQuiet { Console.shared.printError("warning: \(sentence)") }
    }

    /// Keeps the position at the end of the session, because the player is shut down before it is saved.
    func keepPosition() {
        guard options.resumeFile != nil, let position = currentPosition() else { return }
        state.withLock { $0.lastPosition = position }
    }

    private func currentPosition() -> ResumeState? {
        let (resume, current) = state.withLock { state -> (ResumeState?, PlayerItem?) in
            // A position that has not been reached yet is still the one to continue at.
            if let resume = state.resume { return (resume, nil) }
            guard let current = state.current, let index = state.playlist.index(of: current.entry.id) else {
                return (nil, nil)
            }
            let position = ResumeState(
                location: current.entry.input.argument,
                index: index,
                position: .zero,
                round: repeatsSingleInput ? state.passes + 1 : state.playlist.currentRound,
                seed: state.playlist.seed
            )
            return (position, current.item)
        }
        guard var position = resume, let item = current else { return resume }
        // The time of the player is that of another item during an interruption.
        let time = item.currentTime()
        guard time.isNumeric else { return nil }
        // A stream that cannot be sought, as a pipe or internet radio, begins again.
        position.position = item.asset.media?.isSeekable == false ? .zero : max(.zero, time)
        return position
    }

    /// Saves the position for the last time.
    func finishSaving() {
        guard options.resumeFile != nil else { return }
        let timer = state.withLock { state in
            defer { state.savingTimer = nil }
            return state.savingTimer
        }
        timer?.source.cancel()
        savingQueue.sync { savePosition() }
    }
}

/// The timer of saving. Dispatch sources may be used from any thread, although their protocol is not declared
/// `Sendable`.
struct SavingTimer: @unchecked Sendable {
    let source: any DispatchSourceTimer
}

extension PlaySession.State {
    /// The index of the entry of the saved position, or nil if it is not in the playlist.
    private var resumeIndex: Int? {
        guard let resume else { return nil }
        let entries = playlist.entries
        let isSaved = { (entry: PlaylistEntry) in entry.input.argument.hasSameBytes(as: resume.location) }
        let isAtIndex = entries.indices.contains(resume.index) && isSaved(entries[resume.index])
        return isAtIndex ? resume.index : entries.firstIndex(where: isSaved)
    }

    /// Makes the entry of the saved position the next one, if it is in the playlist.
    mutating func seekToResume() {
        if let resumeIndex { playlist.resume(at: resumeIndex) }
    }

    /// Continues to count the passes of a single input, which the player repeats, with that of the saved position.
    mutating func restorePass() {
        if let resume, resumeIndex != nil { passes = resume.round - 1 }
    }

    /// Begins to wait for the file of the saved position.
    ///
    /// - Returns: False if there is no such position, or its entry is in the playlist.
    mutating func beginWaitingForSavedFile() -> Bool {
        guard resume != nil, resumeIndex == nil else { return false }
        isWaiting = true
        isWaitingForSavedFile = true
        return true
    }

    /// Ends waiting for the file of the saved position, and makes the first entry the next one.
    ///
    /// - Returns: False if the session does not wait for it any more.
    mutating func endWaitingForSavedFile() -> Bool {
        guard isWaitingForSavedFile, !isOver, !isStopping else { return false }
        isWaitingForSavedFile = false
        playlist.jump(to: 0)
        return true
    }
}
