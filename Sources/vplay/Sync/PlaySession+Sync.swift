import Dispatch
import PlayheadCore
import Synchronization

/// Playback in step with the wall clock (`--sync-clock wall`).
extension PlaySession {
    /// Begins to follow the wall clock instead of playing from the first input. All calls are made on the callback queue.
    ///
    /// - Returns: False if there is no input, or the duration of one is unknown; the error has been printed.
    func followWallClock() -> Bool {
        guard updateWallClock() != nil else { return false }
        let timer = WallClockTimer(queue: player.callbackQueue) { [weak self] in self?.correctPosition() }
        state.withLock { $0.wallClockTimer = timer }
        jumpToWallClock()
        return true
    }

    /// Returns the loop of the present entries, which remote clients change. It is nil if there is no entry, or the
    /// duration of one is unknown, which is printed once.
    private func updateWallClock() -> WallClockLoop? {
        let (entries, loop) = state.withLock { ($0.playlist.entries, $0.wallClock) }
        let ids = entries.map(\.id)
        if let loop, loop.ids == ids { return loop.loop }
        let durations = entries.map(\.asset.duration)
        let made = WallClockLoop(durations: durations, origin: options.syncOrigin)
        state.withLock { $0.wallClock = (ids, made) }
        if made == nil, !entries.isEmpty {
            let index = durations.firstIndex { !$0.isNumeric || $0 <= .zero }
            let reason = index.map { "the duration of \(entries[$0].input.name) is not known" }
            fail("--sync-clock: " + (reason ?? "the inputs are too long"))
        }
        return made
    }

    /// Plays from the position of the wall clock. The start lies slightly in the future, so that the frames are ready.
    private func jumpToWallClock() {
        guard let loop = updateWallClock() else { return }
        let reading = player.wallClockReading
        let wall = reading.wall + Self.startDelay
        let (index, time) = loop.entry(at: wall)
        if currentIndex != index || state.withLock({ $0.hasEnded }) {
            removeQueued()
            state.withLock { $0.playlist.jump(to: index) }
            playNext()
        }
        player.setRate(options.rate, time: time, atHostTime: reading.host(at: wall).mediaTime)
    }

    private func correctPosition() {
        guard updateWallClock() != nil, let index = currentIndex,
            let item = state.withLock({ $0.current?.item }),
            player.currentItem === item, player.timeControlStatus == .playing,
            !state.withLock({ $0.isOver || $0.isStopping || $0.hasEnded })
        else { return }
        let reading = player.wallClockReading
        guard let time = item.timebase.time(atHostTime: reading.host).nanoseconds else { return }
        let correction = state.withLock { state -> WallClockController.Correction? in
            guard let ids = state.wallClock?.ids, var loop = state.wallClock?.loop,
                loop.starts.indices.contains(index)
            else { return nil }
            defer { state.wallClock = (ids, loop) }
            return loop.controller.follow(loop.starts[index] + time, at: reading.wall)
        }
        switch correction {
        case .pace(let millionths): player.correctPace(by: millionths, every: WallClockController.interval)
        case .jump: jumpToWallClock()
        case nil: break
        }
    }

    /// The time from a jump to the first frame: 0.3 s, enough to open an input and to decode from a key frame.
    private static let startDelay: Int64 = 300_000_000
}
