public import MediaCore
import PlaybackEngine
import PlayheadBackend

extension Player {
    /// Sets the rate, and synchronizes item time `time` with `hostTime` on the player's clock. Several players can thus
    /// start in sync, or one with another source of time. The method seeks exactly.
    ///
    /// Before a host time in the future the player waits at `time`. A pause, a seek or another rate cancels that start.
    /// After a host time in the past it catches up and drops the frames that have passed. The method may be called
    /// whatever the value of `automaticallyWaitsToMinimizeStalling` is.
    ///
    /// - Parameters:
    ///   - rate: The rate, in the range -32...32.
    ///   - time: The item time. An invalid time, and one to which the item cannot be sought
    ///     (`PlayerItem.seekableTimeRanges`), means the current one.
    ///   - hostTime: The time on the player's clock; see `hostTime`. An invalid time means the earliest possible
    ///     one.
    public func setRate(_ rate: Float, time: MediaTime, atHostTime hostTime: MediaTime) {
        core.restart(rate, time, hostTime)
    }

    /// Prepares playback so that it can start immediately, while the player is paused. Reading and decoding ahead do
    /// not depend on the rate.
    ///
    /// - Parameter rate: The rate at which playback will start.
    /// - Returns: True when playback is prepared. False if there is no item, if the rate of the player is not 0, if a
    ///   seek, another item, a start or `cancelPendingPrerolls()` intervenes, and at once if the task is cancelled.
    @discardableResult
    public func preroll(atRate rate: Float) async -> Bool {
        await awaitCompletion { preroll(atRate: rate, completionHandler: $0) }
    }

    /// Prepares playback so that it can start immediately, while the player is paused.
    ///
    /// - Parameters:
    ///   - rate: The rate at which playback will start.
    ///   - completionHandler: Called once on the callback queue, with true when playback is prepared.
    public func preroll(atRate rate: Float, completionHandler: @escaping @Sendable (Bool) -> Void) {
        core.preroll(completionHandler)
    }

    /// Cancels all pending prerolls: their completion handlers get false.
    public func cancelPendingPrerolls() { core.loop.send(.cancelPrerolls) }
}

extension PlayerCore {
    func restart(_ rate: Float, _ time: MediaTime, _ hostTime: MediaTime) {
        let host = hostTime.nanoseconds.map { HostTime(nanoseconds: $0) }
        let command = changing {
            // A change of items is visible before its command has been added. The restart is that of the visible item.
            itemChanges.withLock { _ -> UInt64 in
                // The seek would end the playback of a source that cannot seek.
                let start: MediaTime? = time.isNumeric && item?.canSeek(to: time) != false ? time : nil
                let duration = item?.facts.duration ?? .indefinite
                return state.withLock { state in
                    state.addCommand { $0.restart(rate, at: start, host: host) }
                    state.rate = Masked(value: PlaybackRate.clamped(rate), command: state.commands)
                    if let start, state.item != nil {
                        // A live item stays where it is sought to.
                        state.stalled = nil
                        state.liveStop = nil
                        let shown = max(.zero, duration.isNumeric ? min(start, duration) : start)
                        state.seekTarget = Masked(value: shown, command: state.commands)
                    }
                    return state.commands
                }
            }
        }
        acknowledge(command)
    }

    func preroll(_ completion: @escaping @Sendable (Bool) -> Void) {
        let id = state.withLock { state -> SeekID? in
            guard !state.isReleased else { return nil }
            state.ids += 1
            state.seeks[SeekID(state.ids)] = PendingSeek(item: nil, completion: completion)
            return SeekID(state.ids)
        }
        guard let id else { return callbacks.enqueue { completion(false) } }
        executeVisibleChanges()
        loop.send(.preroll(id))
    }
}
