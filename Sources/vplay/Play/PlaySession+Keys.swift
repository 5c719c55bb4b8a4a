import Dispatch
import PlayheadCore
import Synchronization

extension PlaySession {
    /// Performs the action of a key on the callback queue.
    func press(_ key: Key) {
        endKeyList()
        // The notice about an earlier key may not be true any more.
        notice("")
        defer { control?.checkLater() }
        switch key {
        case .togglePause: togglePause()
        case .back: seek(by: -5)
        case .forward: seek(by: 5)
        case .backMinute: seek(by: -60)
        case .forwardMinute: seek(by: 60)
        case .backTenMinutes: seek(by: -600)
        case .forwardTenMinutes: seek(by: 600)
        case .slower: changeRate(by: 1 / 1.1)
        case .faster: changeRate(by: 1.1)
        case .toggleMute:
            let isMuted = !player.isMuted
            player.isMuted = isMuted
            notice(isMuted ? "muted" : "not muted")
        case .quieter: changeVolume(by: -0.05)
        case .louder: changeVolume(by: 0.05)
        case .toggleLoop: toggleLoop()
        case .stepForward: step(by: 1)
        case .stepBack: step(by: -1)
        case .previousInput: go(by: -1)
        case .nextInput: go(by: 1)
        case .snapshot: saveSnapshot()
        case .toggleFullscreen: toggleFullscreen()
        case .help: listKeys()
        case .quit: stop()
        }
    }

    private func togglePause() { setPaused(!isPaused) }

    /// Pauses or plays. Without an input this decides how the next one begins.
    func setPaused(_ isPaused: Bool) {
        notePause(isPaused)
        let hasInput = state.withLock { $0.current != nil || !$0.interruptions.isEmpty }
        if isPaused { player.pause() } else if hasInput { playAtDefaultRate() }
    }

    /// Notes a request to pause or play. During an interruption it applies to the interrupted entry, too.
    private func notePause(_ isPaused: Bool) {
        let isInterrupted = isInterrupted
        state.withLock { state in
            state.isPausedByUser = isPaused
            state.hasNewRate = state.hasNewRate || isInterrupted
        }
    }

    func step(by count: Int) {
        notePause(true)
        player.currentItem?.step(byCount: count)
    }

    private func seek(by seconds: Int64) {
        let now = player.currentTime()
        let time = max(.zero, now + MediaTime(value: seconds, timescale: 1))
        if let item = player.currentItem, item.movesBack(from: now, seekingTo: time) { return }
        player.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero)
    }

    /// Seeks by a number of seconds. A step forward that would move back, in a live stream, has no effect.
    ///
    /// - Throws: `.propertyUnavailable` if no item is ready.
    func seek(bySeconds seconds: Double, isExact: Bool = true) throws(ControlError) {
        let item = try readyItem()
        let now = item.currentTime()
        let target = now.seconds + seconds
        if item.movesBack(from: now, seekingTo: .seconds(target)) { return }
        try seek(toSeconds: target, isExact: isExact)
    }

    private func changeRate(by factor: Float) {
        var speed = min(32, max(0.1, player.defaultRate.magnitude * factor))
        // Rounding errors must not prevent the return to normal speed.
        if abs(speed - 1) < 0.01 { speed = 1 }
        setSpeed(speed)
        notice("speed \(StatusLine.speed(player.defaultRate))")
    }

    /// Changes the speed, also of what plays. The direction stays that of `--rate`.
    func setSpeed(_ speed: Float) {
        if isInterrupted { state.withLock { $0.hasNewRate = true } }
        player.defaultRate = options.rate < 0 ? -speed : speed
        if player.rate != 0 { playAtDefaultRate() }
    }

    private func changeVolume(by step: Float) {
        let volume = min(1, max(0, ((player.volume + step) * 100).rounded() / 100))
        player.volume = volume
        notice("volume \(Int((volume * 100).rounded()))%" + (player.isMuted ? ", muted" : ""))
    }

    private func toggleLoop() {
        let isLooping: Bool
        if isSingle || player.repeatMode == .loop {
            isLooping = player.repeatMode != .loop
            player.repeatMode = isLooping ? .loop : .once
        } else {
            isLooping = !state.withLock { $0.playlist.isLooping }
            // The first input follows the last one now, or no longer.
            setPlaylistLooping(isLooping)
        }
        notice(isLooping ? "loop on" : "loop off")
    }

    /// Changes to another input of the list.
    private func go(by offset: Int) {
        if !move(by: offset) { notice(offset > 0 ? "this is the last input" : "this is the first input") }
    }

    /// Changes to another entry of the list, which wraps around if it is repeated.
    ///
    /// - Returns: False if there is no such entry.
    func move(by offset: Int) -> Bool {
        guard let target = index(by: offset) else { return false }
        if offset < 0 { state.withLock { $0.playlist.returnToPastRound() } }
        play(at: target)
        return true
    }

    /// Whether `move(by:)` has an effect.
    func canMove(by offset: Int) -> Bool { index(by: offset) != nil }

    private func index(by offset: Int) -> Int? {
        state.withLock { state in
            var playlist = state.playlist
            if offset < 0 { playlist.returnToPastRound() }
            return state.current.flatMap { playlist.index(by: offset, from: $0.entry.id) }
        }
    }

    /// Plays the entry at an index instead of the current one. The number of entries is the start of the next pass.
    func play(at index: Int) {
        endPass()
        state.withLock { $0.playlist.jump(to: index) }
        removeQueued()
        endOrPlayNext()
    }

    /// Ends the pass of the current entry in its middle.
    func endPass() {
        // The time of a pass that has ended is subtracted from `--duration` already.
        let item = state.withLock { $0.hasEnded ? nil : $0.current?.item }
        // The time of the player is that of another item during an interruption.
        let time = item?.currentTime()
        state.withLock { state in
            state.hasEnded = true
            if let time { state.spendUntil(time) }
        }
    }

    // MARK: ^Z

    /// Returns handlers that restore the terminal while the shell has suspended the process.
    func suspensionSignals(readsKeys: Bool) -> Signals {
        Signals.onSuspension { [weak self] in
            self?.pauseForSuspension()
            Console.shared.clearStatus()
            TerminalMode.restore()
        } resume: { [weak self] in
            if readsKeys { _ = TerminalMode.readKeys() }
            PictureScreen.show()
            self?.resumeAfterSuspension()
        }
    }

    /// Pauses before a suspension. The clock continues, and playback would otherwise skip ahead afterwards.
    private func pauseForSuspension() {
        guard !options.isUntimed, player.rate != 0 else { return }
        state.withLock { $0.isPausedForSuspension = true }
        let hasPaused = DispatchSemaphore(value: 0)
        player.pause { hasPaused.signal() }
        // A player or an output that hangs does not prevent the suspension.
        _ = hasPaused.wait(timeout: .now() + .seconds(1))
    }

    private func resumeAfterSuspension() {
        let wasHeld = state.withLock { state in
            defer { state.isPausedForSuspension = false }
            return state.isPausedForSuspension
        }
        if wasHeld { playAtDefaultRate() }
    }
}
