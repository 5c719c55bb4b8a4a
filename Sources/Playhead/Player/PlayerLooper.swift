public import MediaCore

/// Plays an item, or a range of it, over and over in a queue, without a gap.
///
/// Three copies of the template take turns: the one that has been played goes to the end of the queue. The
/// template itself never plays, and what is set on it later has no effect. What the queue holds already is
/// played first. Releasing the looper ends looping as `disableLooping` does, so hold it.
///
/// To loop a whole item `Player.repeatMode` is simpler and opens nothing anew.
public final class PlayerLooper: Sendable {
    public enum Status: String, Hashable, Sendable {
        case unknown, ready, failed, cancelled
    }

    private struct State {
        var status = Status.unknown
        var error: PlaybackError?
        var loopCount = 0
        /// The copy being played.
        var playing: PlayerItem?
        var watching: ObservationToken?
    }

    private let state = Locked(State())
    private let player: QueuePlayer
    private let formerAction: Player.ActionAtItemEnd
    /// The copies, in the order of their first turns. Their position and end belong to the looper.
    public let loopingPlayerItems: [PlayerItem]
    private let start: MediaTime

    /// `timeRange` in item time; nil: all of it. An empty range makes a looper whose status is failed.
    public init(player: QueuePlayer, templateItem: PlayerItem, timeRange: MediaTimeRange? = nil) {
        self.player = player
        formerAction = player.actionAtItemEnd
        let start = max(.zero, timeRange?.start ?? .zero)
        self.start = start
        let isUsable = timeRange.map { $0.end > start && start.isNumeric } ?? true
        let copies = isUsable ? (0..<3).map { _ in templateItem.makeCopy() } : []
        loopingPlayerItems = copies
        for item in copies {
            if let timeRange { item.forwardPlaybackEndTime = timeRange.end }
            rewind(item)
        }
        guard isUsable else {
            let error = MediaError(.invalidArgument, "there is nothing to loop in an empty time range")
            state.withLock { state in
                state.status = .failed
                state.error = PlaybackError(error, url: templateItem.asset.url)
            }
            return
        }
        let watching = player.onEvent { [weak self] in self?.take($0.event) }
        state.withLock { $0.watching = watching }
        player.actionAtItemEnd = .advance
        for item in loopingPlayerItems { player.insert(item, after: nil) }
    }

    deinit { disableLooping() }

    /// Ready once a copy can be played.
    public var status: Status { state.withLock { $0.status } }
    /// Non-nil only when `status` is failed.
    public var error: PlaybackError? { state.withLock { $0.error } }
    /// How often it began anew; 0 during the first pass.
    public var loopCount: Int { state.withLock { $0.loopCount } }

    /// The pass being played goes on to its end, then what was in the queue behind the copies.
    public func disableLooping() { stop(.cancelled, nil) }

    private func stop(_ status: Status, _ error: PlaybackError?) {
        let wasLooping = state.withLock { state in
            guard state.watching != nil else { return false }
            state.watching = nil
            state.status = status
            state.error = error
            return true
        }
        guard wasLooping else { return }
        let current = player.currentItem
        for item in loopingPlayerItems where item !== current { player.remove(item) }
        player.actionAtItemEnd = formerAction
    }

    private func take(_ event: PlayerEvent) {
        switch event {
        case .currentItemChanged(let item): moved(to: item)
        case .itemStatusChanged(let item, let status) where isCopy(item):
            if status == .failed { return stop(.failed, item.error) }
            state.withLock { if $0.status == .unknown, status == .readyToPlay { $0.status = .ready } }
        default: break
        }
    }

    private func isCopy(_ item: PlayerItem) -> Bool { loopingPlayerItems.contains { $0 === item } }

    private func moved(to item: PlayerItem?) {
        let played = state.withLock { state -> PlayerItem? in
            guard state.watching != nil else { return nil }
            defer { state.playing = item.flatMap { isCopy($0) ? $0 : nil } }
            if state.playing != nil, item != nil { state.loopCount += 1 }
            return state.playing
        }
        guard let played else { return }
        rewind(played)
        player.insert(played, after: nil)
    }

    private func rewind(_ item: PlayerItem) {
        if start > .zero { item.seek(to: start, toleranceBefore: .zero, toleranceAfter: .zero) }
    }
}
