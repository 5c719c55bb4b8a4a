import Dispatch
import PlayheadCore
import Synchronization

/// Playback in step with the wall clock (`--sync-clock wall`).
extension PlaySession {
    /// Begins to follow the wall clock instead of playing from the first input. All calls are made on the callback queue.
    ///
    /// - Returns: False if there is no input, or the duration of one is unknown; the error has been printed.
    func followWallClock() -> Bool {
        let entries = state.withLock { $0.playlist.entries }
        guard !entries.isEmpty else { return false }
        let durations = entries.map(\.asset.duration)
        guard let loop = WallClockLoop(durations: durations, origin: options.syncOrigin) else {
            let index = durations.firstIndex { !$0.isNumeric || $0 <= .zero }
            let reason = index.map { "the duration of \(entries[$0].input.name) is not known" }
            fail("--sync-clock: " + (reason ?? "the inputs are too long"))
            return false
        }
        let timer = WallClockTimer(queue: player.callbackQueue) { [weak self] in self?.correctPosition() }
        state.withLock { state in
            state.wallClock = loop
            state.wallClockTimer = timer
        }
        jumpToWallClock()
        return true
    }

    /// Plays from the position of the wall clock. The start lies slightly in the future, so that the frames are ready.
    private func jumpToWallClock() {
        guard let loop = state.withLock({ $0.wallClock }) else { return }
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
        guard let index = currentIndex, let item = state.withLock({ $0.current?.item }),
            player.currentItem === item, player.timeControlStatus == .playing,
            !state.withLock({ $0.isOver || $0.isStopping || $0.hasEnded })
        else { return }
        let reading = player.wallClockReading
        guard let time = item.timebase.time(atHostTime: reading.host).nanoseconds else { return }
        let correction = state.withLock { state -> WallClockController.Correction? in
            guard var loop = state.wallClock, loop.starts.indices.contains(index) else { return nil }
            defer { state.wallClock = loop }
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
