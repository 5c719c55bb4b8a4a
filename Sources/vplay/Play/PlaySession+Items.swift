import Playhead
import Synchronization

extension PlaySession {
    /// On to the next input, past those that cannot even be set up.
    func playNext() {
        while let (index, remaining) = state.withLock({ nextIndex(&$0) }) {
            switch items.make(index, remaining: repeatsSingleInput ? nil : remaining) {
            case .failure(let error): fail("\(options.inputs[index].name): \(error.words)")
            case .success(let made):
                begin(made, index)
                return
            }
        }
        stopWhenPaused()
    }

    private func nextIndex(_ state: inout State) -> (Int, MediaTime?)? {
        guard !state.isStopping, let index = state.playlist.next() else { return nil }
        return (index, state.remaining)
    }

    private func begin(_ made: ItemMaker.Made, _ index: Int) {
        let (isFirst, isPaused) = state.withLock { state in
            defer {
                state.previous = state.current
                state.current = (made.item, index)
                state.isSettled = false
                state.passStart = made.start
            }
            return (state.current == nil, state.isPausedByUser)
        }
        if options.subtitleTrack != nil, options.events != .none { tellWords(of: made.item) }
        if repeatsSingleInput { watchDuration() }
        // The item comes last at first; later it must come before the rate, which the old one's end has taken.
        if isFirst { player.play() }
        player.replaceCurrentItem(with: made.item)
        if !isFirst, !isPaused { player.play() }
    }

    // MARK: Ends

    private struct EndedPass {
        /// The next one is under way already.
        let isLooping: Bool
        /// Passes of this session up to here.
        let count: Int
        let remaining: MediaTime?
    }

    /// A pass is over; `time` is where.
    func passEnded(_ item: PlayerItem, at time: MediaTime) {
        let pass = state.withLock { state -> EndedPass? in
            guard state.current?.item === item, !state.isSettled else { return nil }
            state.playlist.notePlayed()
            state.passes += 1
            if let remaining = state.remaining { state.remaining = remaining - (time - state.passStart) }
            state.passStart = .zero
            let isLooping = state.repeatMode == .loop
            state.isSettled = !isLooping
            return EndedPass(isLooping: isLooping, count: state.passes, remaining: state.remaining)
        }
        guard let pass else { return }
        if let remaining = pass.remaining, remaining <= Self.nothing {
            if pass.isLooping { stop() } else { stopWhenPaused() }
            return
        }
        guard pass.isLooping else {
            playNext()
            return
        }
        if case .times(let times) = options.repeats, pass.count == times - 1 { player.repeatMode = .once }
        if repeatsSingleInput { watchDuration() }
    }

    /// Less than any picture lasts: what rounding to the engine's nanoseconds may leave of `--duration`.
    private static let nothing = MediaTime(value: 1, timescale: 1_000_000)

    /// The input cannot be played, or not any further.
    func inputFailed(_ item: PlayerItem, _ error: PlaybackError?) {
        let index = state.withLock { state -> Int? in
            guard let current = state.current, current.item === item, !state.isSettled else { return nil }
            state.isSettled = true
            return current.index
        }
        guard let index else { return }
        fail("\(options.inputs[index].name): \(reason(error))")
        playNext()
    }

    // MARK: Duration

    /// In a loop `--duration` may end in the middle of any pass; elsewhere it is the item's end.
    private func watchDuration() {
        let (start, remaining) = state.withLock { ($0.passStart, $0.remaining) }
        guard let remaining else { return }
        // A picture due at the very end is not part of it.
        let end = start + remaining - ItemMaker.moment
        let observer = player.addBoundaryTimeObserver(forTimes: [end]) { [weak self] in self?.stop() }
        state.withLock { $0.durationObserver = observer }
    }
}
