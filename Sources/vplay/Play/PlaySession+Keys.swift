import Dispatch
import Glibc
import Playhead
import Synchronization

extension PlaySession {
    /// On the callback queue, among the player's events.
    func press(_ key: Key) {
        endKeyList()
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
        case .stepOn: step(by: 1)
        case .stepBack: step(by: -1)
        case .previousInput: go(by: -1)
        case .nextInput: go(by: 1)
        case .snapshot: saveSnapshot()
        case .toggleFullscreen: toggleFullscreen()
        case .help: listKeys()
        case .quit: stop()
        }
    }

    private func togglePause() {
        let isPaused = state.withLock { state in
            state.isPausedByUser.toggle()
            return state.isPausedByUser
        }
        if isPaused { player.pause() } else { player.play() }
    }

    private func step(by count: Int) {
        state.withLock { $0.isPausedByUser = true }
        player.currentItem?.step(byCount: count)
    }

    private func seek(by seconds: Int64) {
        player.seek(
            to: max(.zero, player.currentTime() + MediaTime(value: seconds, timescale: 1)),
            toleranceBefore: .zero,
            toleranceAfter: .zero
        )
    }

    private func changeRate(by factor: Float) {
        let old = player.defaultRate
        var pace = min(32, max(0.1, old.magnitude * factor))
        // Up and down again is where it was.
        if abs(pace - 1) < 0.01 { pace = 1 }
        let rate = old < 0 ? -pace : pace
        player.defaultRate = rate
        if player.rate != 0 { player.play() }
        notice("speed \(StatusLine.speed(rate))")
    }

    private func changeVolume(by step: Float) {
        let volume = min(1, max(0, ((player.volume + step) * 100).rounded() / 100))
        player.volume = volume
        notice("volume \(Int((volume * 100).rounded()))%" + (player.isMuted ? ", muted" : ""))
    }

    private func toggleLoop() {
        let isLooping: Bool
        if isSingle {
            isLooping = player.repeatMode != .loop
            player.repeatMode = isLooping ? .loop : .once
        } else {
            isLooping = state.withLock { state in
                state.playlist.isLooping.toggle()
                return state.playlist.isLooping
            }
            // What follows the last one may be known by now.
            if isLooping { lookAhead() }
        }
        notice(isLooping ? "loop on" : "loop off")
    }

    /// To another input of the list.
    private func go(by offset: Int) {
        guard let current = state.withLock({ $0.current }) else { return }
        let count = options.inputs.count
        var target = current.index + offset
        if state.withLock({ $0.playlist.isLooping }) { target = (target + count) % count }
        guard (0..<count).contains(target), count > 1 else {
            return notice(offset > 0 ? "this is the last input" : "this is the first input")
        }
        let time = player.currentTime()
        let queued = state.withLock { state in
            state.isSettled = true
            state.playlist.jump(to: target)
            state.spendUntil(time)
            defer { state.next = nil }
            return state.next
        }
        if let queued { player.remove(queued.item) }
        endOrPlayNext()
    }

    // MARK: ^Z

    /// As long as the result lives, the shell gets its terminal back while it has us stopped.
    func stops(readsKeys: Bool) -> Signals {
        Signals.stops { [weak self] in
            self?.holdForStop()
            Console.shared.clearStatus()
            TerminalMode.restore()
        } goOn: { [weak self] in
            if readsKeys { _ = TerminalMode.readKeys() }
            PictureScreen.show()
            self?.goOnAfterStop()
        }
    }

    /// The clock runs on while the process stands still, and playing would hurry after it.
    private func holdForStop() {
        guard !options.isUntimed, player.rate != 0 else { return }
        state.withLock { $0.isHeldForStop = true }
        player.pause()
        for _ in 0..<40 where player.timeControlStatus != .paused { usleep(5000) }
    }

    private func goOnAfterStop() {
        let wasHeld = state.withLock { state in
            defer { state.isHeldForStop = false }
            return state.isHeldForStop
        }
        if wasHeld { player.play() }
    }
}
