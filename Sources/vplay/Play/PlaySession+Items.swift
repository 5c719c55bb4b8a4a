import Playhead
import Synchronization

extension PlaySession {
    /// The next input, where nothing follows by itself.
    func playNext() {
        if let turn = makeNext(state.withLock { $0.remaining }) { begin(turn) } else { stopWhenPaused() }
    }

    /// Past those that cannot even be set up. `remaining`: what `--duration` leaves.
    func makeNext(_ remaining: MediaTime?) -> InputPlayback? {
        while let index = state.withLock({ $0.isStopping ? nil : $0.playlist.next() }) {
            switch items.make(index, remaining: repeatsSingleInput ? nil : remaining) {
            case .failure(let error): fail("\(options.inputs[index].name): \(error.words)")
            case .success(let turn):
                if options.subtitleTrack != nil, options.events != .none { reportText(of: turn.item) }
                return turn
            }
        }
        return nil
    }

    func begin(_ turn: InputPlayback) {
        let (isFirst, isPaused) = state.withLock { state in
            defer { state.take(turn) }
            return (state.current == nil, state.isPausedByUser)
        }
        if repeatsSingleInput { watchDuration() }
        player.actionAtItemEnd = looksAhead ? .advance : .pause
        // The item comes last at first; later it must come before the rate, which the old one's end has taken.
        if isFirst { player.play() }
        player.replaceCurrentItem(with: turn.item)
        if !isFirst, !isPaused { player.play() }
    }

    // MARK: Seams

    /// Backward there is nothing to be stitched: each item has to be opened to find its end.
    private var looksAhead: Bool { !isSingle && options.rate > 0 }

    /// Once the current input can be played, the one behind it is queued, to follow without a gap.
    func lookAhead() {
        guard looksAhead else { return }
        let (turn, passStart, remaining) = state.withLock { state in
            (state.isSettled || state.next != nil ? nil : state.current, state.passStart, state.remaining)
        }
        guard let turn, turn.item.status == .readyToPlay else { return }
        let end = turn.item.expectedEnd
        if !end.isNumeric || end - turn.start >= InputPlayback.shortestPass {
            state.withLock { $0.playlist.notePlayed(turn.index) }
        }
        let left = remaining.map { end.isNumeric ? $0 - (end - passStart) : .zero }
        // Behind the last one the player pauses. What is found to follow only then, follows with a gap.
        guard left.map({ $0 > InputPlayback.nothing }) ?? true, let next = makeNext(left) else {
            player.actionAtItemEnd = .pause
            return
        }
        state.withLock { $0.next = next }
        player.insert(next.item, after: nil)
        player.actionAtItemEnd = .advance
    }

    /// The player went on by itself.
    func wentOn(to item: PlayerItem?) {
        guard let item else {
            // It ran out of items before it was told that there are no more; nothing pauses it then.
            if state.withLock({ $0.isStopping }) { player.pause() }
            return
        }
        let taken = state.withLock { state -> (InputPlayback, MediaTime?)? in
            guard let next = state.next, next.item === item else { return nil }
            state.take(next)
            // Of what follows without a gap nobody is told again that a frame has come.
            state.current?.hasShown = true
            return (next, state.remaining)
        }
        // The one before may have been longer or shorter than it said.
        if let (turn, remaining) = taken { turn.limit(to: remaining) }
        lookAhead()
    }

    /// The player had stopped at an input's end before the next one was queued.
    func stoodStill() {
        if let turn = abandonedTurn() {
            failOnce(turn, "there is nothing to repeat: a pass has no length")
            return endOrPlayNext()
        }
        let (mustGoOn, isPaused) = state.withLock { state in
            (state.isSettled && state.next != nil && !state.isStopping, state.isPausedByUser)
        }
        guard mustGoOn else { return }
        player.advanceToNextItem()
        if !isPaused { player.play() }
    }

    // MARK: Ends

    private struct EndedPass {
        /// The next one is under way already.
        let isLooping: Bool
        /// Another input follows by itself.
        let isFollowed: Bool
        /// Nothing was played in it.
        let isShort: Bool
        /// Passes of this session up to here.
        let count: Int
        let remaining: MediaTime?
    }

    /// A pass is over; `time` is where.
    func passEnded(_ item: PlayerItem, at time: MediaTime) {
        let end = endTold(of: item, at: time)
        checkWhatWasPlayed(item, until: end)
        let pass = state.withLock { state -> EndedPass? in
            guard let turn = state.current, turn.item === item, !state.isSettled else { return nil }
            let isShort = options.rate > 0 && end - state.passStart < InputPlayback.shortestPass
            if isShort {
                state.playlist.noteFailed(turn.index)
            } else {
                state.playlist.notePlayed(turn.index)
            }
            state.passes += 1
            state.spend(until: end)
            let isLooping = state.repeatMode == .loop
            state.isSettled = !isLooping
            return EndedPass(
                isLooping: isLooping,
                isFollowed: state.next != nil,
                isShort: isShort,
                count: state.passes,
                remaining: state.remaining
            )
        }
        guard let pass else { return }
        if pass.isShort, options.repeats != .times(1), let turn = state.withLock({ $0.current }) {
            failOnce(turn, "there is nothing to repeat: a pass has no length")
        }
        if let remaining = pass.remaining, remaining <= InputPlayback.nothing {
            if pass.isLooping || pass.isFollowed { stop() } else { stopWhenPaused() }
            return
        }
        guard pass.isLooping else {
            if !pass.isFollowed { playNext() }
            return
        }
        if case .times(let times) = options.repeats, pass.count == times - 1 { player.repeatMode = .once }
        if repeatsSingleInput { watchDuration() }
    }

    /// In real time an end is told a moment late.
    private func endTold(of item: PlayerItem, at time: MediaTime) -> MediaTime {
        let end = item.expectedEnd
        return !options.isUntimed && end.isNumeric ? min(time, end) : time
    }

    /// The input cannot be played, or not any further; `time`: where, if some of it was played.
    func inputFailed(_ item: PlayerItem, _ error: PlaybackError?, at time: MediaTime? = nil) {
        let end = time.map { endTold(of: item, at: $0) }
        let failed = state.withLock { state -> (turn: InputPlayback, isQueued: Bool)? in
            if let next = state.next, next.item === item {
                state.next = nil
                state.playlist.noteFailed(next.index)
                return (next, true)
            }
            guard let turn = state.current, turn.item === item, !state.isSettled else { return nil }
            state.isSettled = true
            if let end {
                state.playlist.notePlayed(turn.index)
                state.spend(until: end)
            } else {
                state.playlist.noteFailed(turn.index)
            }
            return (turn, false)
        }
        guard let failed else { return }
        fail("\(options.inputs[failed.turn.index].name): \(reason(error))")
        if failed.isQueued {
            lookAhead()
        } else if state.withLock({ $0.next == nil }) {
            playNext()
        }
    }

    // MARK: Duration

    /// In a loop `--duration` may end in the middle of any pass; elsewhere it is the item's end.
    private func watchDuration() {
        let (start, remaining) = state.withLock { ($0.passStart, $0.remaining) }
        guard let remaining else { return }
        // A frame due at the very end is not part of it.
        let end = start + remaining - ItemMaker.moment
        let observer = player.addBoundaryTimeObserver(forTimes: [end]) { [weak self] in self?.stop() }
        state.withLock { $0.durationObserver = observer }
    }
}

extension PlaySession.State {
    /// Another input's turn.
    fileprivate mutating func take(_ turn: InputPlayback) {
        previous = current
        current = turn
        next = nil
        isSettled = false
        passStart = turn.start
    }

    /// As `spend`, in the middle of a pass.
    mutating func spendUntil(_ time: MediaTime) { spend(until: time) }

    /// Takes what was played from `--duration`.
    fileprivate mutating func spend(until time: MediaTime) {
        if let left = remaining { remaining = left - (time - passStart) }
        passStart = .zero
    }
}
