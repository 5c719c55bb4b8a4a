public import MediaCore
import PlaybackEngine
import PlayheadBackend

extension Player {
    /// Sets the rate so that item time `time` falls on `hostTime` of the player's clock: several players can
    /// start in step, or one in step with something else. Exact: it seeks with no tolerance.
    ///
    /// An invalid `time` is the present one; an invalid `hostTime` is as soon as everything is there. Until a
    /// host time in the future the player stands at `time`; from one in the past it catches up, leaving out
    /// the frames that are over. Legal whatever `automaticallyWaitsToMinimizeStalling` says.
    public func setRate(_ rate: Float, time: MediaTime, atHostTime hostTime: MediaTime) {
        core.restart(rate, time, hostTime)
    }

    /// Gets everything ready to start at once, standing still. Returns true when it is; false without an item
    /// or at a rate other than 0, and when something else came first: another time, another item, a start, or
    /// `cancelPendingPrerolls`. A task that is cancelled gets false at once. The engine reads and decodes ahead the
    /// same way for every rate.
    @discardableResult
    public func preroll(atRate rate: Float) async -> Bool {
        await answer { preroll(atRate: rate, completionHandler: $0) }
    }

    /// As above; the handler is called once, on the callback queue.
    public func preroll(atRate rate: Float, completionHandler: @escaping @Sendable (Bool) -> Void) {
        core.preroll(completionHandler)
    }

    /// Those that wait are answered false.
    public func cancelPendingPrerolls() { core.loop.send(.cancelPrerolls) }
}

extension PlayerCore {
    func restart(_ rate: Float, _ time: MediaTime, _ hostTime: MediaTime) {
        let command = changing {
            state.withLock { state in
                state.commands += 1
                let held = rate.isNaN ? 0 : max(-32, min(32, rate))
                state.rate = Masked(value: held, command: state.commands)
                if time.isNumeric, state.item != nil {
                    state.seekTarget = Masked(value: max(.zero, time), command: state.commands)
                }
                return state.commands
            }
        }
        loop.restart(
            rate,
            at: time.isNumeric ? time : nil,
            host: hostTime.nanoseconds.map { HostTime(nanoseconds: $0) }
        )
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
        loop.send(.preroll(id))
    }
}
