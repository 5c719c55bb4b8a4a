import MediaCore
import PlaybackEngine
import PlayheadBackend
import Sinks

/// Waiting for the end of an item.
///
/// A wait is examined and answered on the control lane, in the order of the engine's reports. So no end is missed, and
/// what the caller requested before it waits has been applied.
extension PlayerCore {
    typealias EndResult = Result<Void, PlaybackError>

    /// A caller that waits for the end of an item.
    struct EndWait: Sendable {
        let item: ItemID
        /// Whether the wait has been examined on the control lane. Reports before that concern an earlier position.
        var isActive = false
        /// The result, while the outputs complete their work; nil before the end.
        var result: EndResult?
        /// How the item's last pass ended before the wait was examined; nil if it has not ended since the wait began.
        var earlierOutcome: PassOutcome?
        let completion: @Sendable (EndResult) -> Void
    }

    /// Plays the current item, and waits for its end.
    ///
    /// - Parameter completion: Called once: on the callback lane, or at once if there is nothing to wait for.
    /// - Returns: The identifier of the wait.
    func awaitEnd(_ completion: @escaping @Sendable (EndResult) -> Void) -> UInt64 {
        let (id, failure) = state.withLock { state -> (UInt64, PlaybackError?) in
            state.ids += 1
            if state.isEnding || state.isReleased { return (state.ids, .endOfPlayer) }
            // The end of a queue between two calls is not missed, and is returned once.
            guard let item = state.itemID ?? state.lastOfQueue else {
                return (state.ids, PlaybackError(code: .invalidArgument, message: "the player has no item"))
            }
            state.lastOfQueue = nil
            state.endWaits[state.ids] = EndWait(item: item, completion: completion)
            return (state.ids, refusal.map { PlaybackError($0, url: nil) })
        }
        if let failure {
            state.withLock { _ = $0.endWaits.removeValue(forKey: id) }
            completion(.failure(failure))
        } else {
            executeVisibleChanges()
            loop.perform { [weak self] loop in self?.beginWait(id, loop) }
        }
        return id
    }

    /// Ends a wait because its task was cancelled, and pauses the player. Has no effect once the wait is answered.
    func cancelEndWait(_ id: UInt64) {
        guard let wait = state.withLock({ $0.endWaits.removeValue(forKey: id) }) else { return }
        setRate(0)
        wait.completion(.failure(PlaybackError(code: .cancelled, message: "playback was cancelled")))
    }

    /// Answers all waits when the player is shut down or released.
    func endAllWaits() {
        let waits = state.withLock { state in
            defer { state.endWaits = [:] }
            return state.endWaits
        }
        for wait in waits.values { wait.completion(wait.result ?? .failure(.endOfPlayer)) }
    }

    // MARK: Control lane

    private struct Begun {
        let item: ItemID
        /// How the item's last pass ended; nil if it has not ended, or another item's pass has ended since.
        let outcome: PassOutcome?
        let sinkFailure: PlaybackError?
    }

    private func beginWait(_ id: UInt64, _ loop: PlaybackLoop) {
        let begun = state.withLock { state -> Begun? in
            guard let item = state.endWaits[id]?.item else { return nil }
            state.endWaits[id]?.isActive = true
            defer { state.sinkFailure = nil }
            let last = state.lastOutcome
            let outcome = state.endWaits[id]?.earlierOutcome ?? (last?.item == item ? last?.outcome : nil)
            return Begun(item: item, outcome: outcome, sinkFailure: state.sinkFailure)
        }
        guard let begun else { return }
        if let failure = begun.sinkFailure { return pauseAndEnd([id], failure) }
        let item = begun.item
        let rate = visibleFacts.rate == 0 ? setting(\.defaultRate) : visibleFacts.rate
        switch loop.endState(of: item, isReverse: rate < 0) {
        case .ahead: callbacks.enqueue { [weak self] in self?.playForWait(id) }
        case .reached: endWhenDelivered([id])
        case .failed(let error): end([id], .failure(playbackError(error, of: item)))
        // The item ended after the caller had read that it was current.
        case nil: answer([id], begun.outcome ?? .replaced, of: item)
        }
    }

    /// Starts playback for a wait, unless the player plays already. On the callback lane.
    private func playForWait(_ id: UInt64) {
        // An item that has ended meanwhile has the rate 0, too.
        let isWaiting = state.withLock { $0.endWaits[id].map { $0.result == nil } ?? false }
        guard isWaiting, visibleFacts.rate == 0 else { return }
        setRate(setting(\.defaultRate))
        // The task may have been cancelled on another thread before the rate was set.
        if state.withLock({ $0.endWaits[id] == nil }) { setRate(0) }
    }

    /// Handles a report of the loop.
    func updateEndWaits(for change: PlaybackChange) {
        switch change {
        case .passEnded(let item, let outcome):
            let ids = state.withLock { state in
                state.lastOutcome = (item, outcome)
                for (id, wait) in state.endWaits where wait.item == item && !wait.isActive {
                    state.endWaits[id]?.earlierOutcome = outcome
                }
                return state.activeWaits { $0.item == item }
            }
            answer(ids, outcome, of: item)
        case .sinkFailed(let failure):
            let error = PlaybackError(failure)
            let ids = state.withLock { state in
                let ids = state.activeWaits { _ in true }
                if ids.isEmpty, state.sinkFailure == nil { state.sinkFailure = error }
                return ids
            }
            pauseAndEnd(ids, error)
        case .itemChanged: state.withLock { $0.sinkFailure = nil }
        default: break
        }
    }

    private func answer(_ ids: [UInt64], _ outcome: PassOutcome, of item: ItemID) {
        switch outcome {
        case .playedToEnd: endWhenDelivered(ids)
        case .failed(let error): end(ids, .failure(playbackError(error, of: item)))
        case .replaced, .stopped:
            let message = "the item was \(outcome == .replaced ? "replaced" : "removed") before its end"
            end(ids, .failure(PlaybackError(code: .cancelled, message: message)))
        }
    }

    private func playbackError(_ error: MediaError, of item: ItemID) -> PlaybackError {
        PlaybackError(error, url: dispatcher.item(item)?.asset.url)
    }

    /// Answers waits when all sinks have received everything, and the files are complete.
    private func endWhenDelivered(_ ids: [UInt64]) {
        guard !ids.isEmpty else { return }
        state.withLock { state in for id in ids { state.endWaits[id]?.result = .success(()) } }
        // After the end has been reported, the update passes the rest of the audio to the audio lane.
        loop.perform { [weak self] loop in
            loop.afterPendingOutput { [weak self] in self?.completeFiles(ids) }
        }
    }

    private func completeFiles(_ ids: [UInt64]) {
        // The error of a sink that has failed before is reported already.
        let files = (dispatcher.fileSinks + [audioFile].compactMap(\.self)).filter { $0.error == nil }
        guard !files.isEmpty else { return end(ids, .success(())) }
        // Writing may block, so it happens on a lane of its own.
        driver.makeLane(.output, label: "files").enqueue { [weak self] in
            for file in files { file.synchronize() }
            let error = files.lazy.compactMap(\.error).first
            let result = error.map { error in
                EndResult.failure(PlaybackError(code: .sinkFailed, message: "\(error)", underlying: error))
            }
            self?.end(ids, result ?? .success(()))
        }
    }

    /// Pauses the player and answers waits with the failure of a sink.
    private func pauseAndEnd(_ ids: [UInt64], _ error: PlaybackError) {
        guard !ids.isEmpty else { return }
        callbacks.enqueue { [weak self] in self?.setRate(0) }
        end(ids, .failure(error))
    }

    /// Answers waits after everything that has been reported so far.
    private func end(_ ids: [UInt64], _ result: EndResult) {
        guard !ids.isEmpty else { return }
        callbacks.enqueue { [weak self] in
            guard let self else { return }
            let waits = state.withLock { state in ids.compactMap { state.endWaits.removeValue(forKey: $0) } }
            for wait in waits { wait.completion(result) }
        }
    }
}

extension PlayerCore.State {
    /// The waits that have been examined and not been answered, in the order in which they began.
    fileprivate func activeWaits(_ condition: (PlayerCore.EndWait) -> Bool) -> [UInt64] {
        endWaits.filter { $0.value.isActive && $0.value.result == nil && condition($0.value) }.keys.sorted()
    }
}

extension PlaybackError {
    /// The error of a wait for a player that was shut down.
    fileprivate static var endOfPlayer: PlaybackError {
        PlaybackError(code: .cancelled, message: "the player was shut down")
    }
}
