import MediaCore
import PlaybackEngine
import PlayheadBackend

/// Seeks of the current item. Each of them is answered exactly once.
extension PlayerCore {
    func seek(
        _ item: PlayerItem,
        _ time: MediaTime,
        _ toleranceBefore: MediaTime,
        _ completion: (@Sendable (Bool) -> Void)?
    ) {
        ObservedSnapshot.discardCurrent()
        let presented = presentedTime(of: item)
        guard let seek = makeSeek(item, time, toleranceBefore, completion) else {
            if let completion { callbacks.enqueue { completion(false) } }
            return
        }
        state.withLock { state in
            guard let id = seek.request.item, state.presented?.item != id else { return }
            state.presented = (id, presented)
        }
        executeVisibleChanges()
        loop.send(.seek(seek.request))
        acknowledge(seek.command)
    }

    /// Creates a seek, whose target `currentTime()` returns from then on.
    ///
    /// - Returns: The request and its command number, or nil if the seek is not possible.
    func makeSeek(
        _ item: PlayerItem,
        _ time: MediaTime,
        _ toleranceBefore: MediaTime,
        _ completion: (@Sendable (Bool) -> Void)?
    ) -> (request: SeekRequest, command: UInt64)? {
        let isUsable = time.isValid && !time.isIndefinite && item.canSeek(to: time)
        let duration = item.facts.duration
        let time = isUsable && !duration.isNumeric ? item.liveTarget(of: time) ?? time : time
        return state.withLock { state in
            guard isUsable, state.item === item, !state.isReleased else { return nil }
            state.commands += 1
            state.ids += 1
            // A live item stays where it is sought to when a stall ends.
            state.stalled = nil
            state.liveStop = nil
            let id = SeekID(state.ids)
            state.seeks[id] = PendingSeek(item: item, completion: completion)
            let shown = duration.isNumeric ? max(.zero, min(time, duration)) : max(.zero, time)
            state.seekTarget = Masked(value: shown, command: state.commands)
            let request = SeekRequest(
                id: id,
                item: state.itemID,
                target: time,
                toleranceBefore: toleranceBefore
            )
            return (request, state.commands)
        }
    }
}
