import FoundationEssentials
import MediaCore
import PlaybackEngine
import Sinks

/// Delivers the events of a player to streams, observers and notification observers, in that order.
final class EventDispatcher: Sendable {
    private struct State {
        weak var player: Player?
        /// The object that posts instead of `DefaultNotifications`.
        weak var poster: (any EventPoster)?
        var hasPoster = false
        /// The items by attachment. The references are weak, because a late event need not retain its item.
        var items: [ItemID: WeakReference<PlayerItem>] = [:]
        var streams: [UInt64: Stream] = [:]
        /// Closures that are called when no more events follow.
        var endHandlers: [UInt64: @Sendable () -> Void] = [:]
        /// The layers by identifier. Resolving a weak reference under the lock could make this the last owner of a
        /// layer.
        var layers: [(id: ObjectIdentifier, reference: WeakReference<PlayerLayer>)] = []
        var ids: UInt64 = 0
        var isFinished = false
    }

    private struct Stream {
        let continuation: AsyncStream<TimedPlayerEvent>.Continuation
        var lost = 0
    }

    private let state = Locked(State())
    /// The observers of the player. Items and layers have lists of their own.
    let observers = ObserverList()
    /// The number of events that a reader may fall behind before events are omitted: a burst of seeks, or a minute of
    /// loops.
    private static let streamDepth = 4096

    func setPlayer(_ player: Player) { state.withLock { $0.player = player } }
    var player: Player? { state.withLock { $0.player } }

    func setPoster(_ poster: any EventPoster) {
        state.withLock { state in
            state.poster = poster
            state.hasPoster = true
        }
    }

    func add(_ layer: PlayerLayer) {
        state.withLock { $0.layers.append((ObjectIdentifier(layer), WeakReference(layer))) }
    }

    func remove(_ layer: ObjectIdentifier) {
        state.withLock { state in state.layers.removeAll { $0.id == layer } }
    }

    /// The sizes of the layers; empty if a layer has no size of its own.
    var displays: [VariantPreference.Display] {
        let layers = state.withLock { $0.layers }.compactMap(\.reference.object)
        let displays = layers.compactMap(\.display)
        return displays.count == layers.count ? displays : []
    }

    /// The sinks of the layers that write files.
    var fileSinks: [any FileSink] {
        state.withLock { $0.layers }.compactMap(\.reference.object).flatMap(\.fileSinks)
    }

    /// Whether a layer filters or converts every frame.
    var changesFrames: Bool {
        state.withLock { $0.layers }.contains { $0.reference.object?.changesFrames ?? false }
    }

    func register(_ item: PlayerItem, _ id: ItemID) {
        state.withLock { state in
            state.items = state.items.filter { $0.value.object != nil }
            state.items[id] = WeakReference(item)
        }
    }

    func item(_ id: ItemID) -> PlayerItem? { state.withLock { $0.items[id]?.object } }

    func makeStream() -> AsyncStream<TimedPlayerEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: TimedPlayerEvent.self,
            bufferingPolicy: .bufferingOldest(Self.streamDepth)
        )
        let id = state.withLock { state -> UInt64? in
            guard !state.isFinished else { return nil }
            state.ids += 1
            state.streams[state.ids] = Stream(continuation: continuation)
            return state.ids
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.streams.removeValue(forKey: id) }
        }
        return stream
    }

    /// Calls a handler when no more events follow, or at once if that is so already.
    ///
    /// - Parameter handler: The handler.
    /// - Returns: A closure that removes the handler.
    func whenFinished(_ handler: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let id = state.withLock { state -> UInt64? in
            guard !state.isFinished else { return nil }
            state.ids += 1
            state.endHandlers[state.ids] = handler
            return state.ids
        }
        guard let id else {
            handler()
            return {}
        }
        return { [weak self] in self?.state.withLock { _ = $0.endHandlers.removeValue(forKey: id) } }
    }

    func makeID() -> UInt64 {
        state.withLock { state in
            state.ids += 1
            return state.ids
        }
    }

    /// Delivers a notification on the callback lane: to streams, key-path observers, observation trackers and
    /// notification observers; first those of the player, then of its items, then of the layers.
    func deliver(_ notification: ChangeNotification) {
        let (player, isFinished, all) = state.withLock { ($0.player, $0.isFinished, $0.layers) }
        guard !isFinished, let event = notification.event else { return }
        let layers = all.compactMap(\.reference.object)
        yield(event)
        let items = notification.observed.items
        observers.notify(notification)
        for view in items { view.item.observers.notify(notification) }
        for layer in layers { layer.observers.notify(notification) }
        notification.observed.withCurrent {
            if let player {
                notification.observed.player?.facts.announceChanges(since: notification.before, of: player)
            }
            for (view, before) in zip(items, notification.itemsBefore) {
                view.facts.announceChanges(since: before, of: view.item)
            }
            if notification.observed.player?.facts.isReadyForDisplay != notification.before.isReadyForDisplay
            {
                for layer in layers where layer.showsPlayer { layer.announce(\.isReadyForDisplay) }
            }
        }
        let (poster, hasPoster) = state.withLock { ($0.poster, $0.hasPoster) }
        if let poster {
            poster.post(event)
        } else if !hasPoster {
            DefaultNotifications.poster?.post(event.event, player: player)
        }
    }

    private func yield(_ event: TimedPlayerEvent) {
        state.withLock { state in
            for id in state.streams.keys {
                guard var stream = state.streams[id] else { continue }
                if stream.lost > 0 {
                    let note = TimedPlayerEvent(
                        event: .eventsLost(stream.lost),
                        itemTime: event.itemTime,
                        hostTime: event.hostTime,
                        item: event.item
                    )
                    if case .enqueued = stream.continuation.yield(note) { stream.lost = 0 }
                }
                if stream.lost > 0 {
                    stream.lost += 1
                } else if case .dropped = stream.continuation.yield(event) {
                    stream.lost = 1
                }
                state.streams[id] = stream
            }
        }
    }

    func finish() {
        let (streams, handlers) = state.withLock { state in
            defer {
                state.streams = [:]
                state.endHandlers = [:]
                state.layers = []
                state.isFinished = true
            }
            return (state.streams.values, state.endHandlers.values)
        }
        observers.close()
        for stream in streams { stream.continuation.finish() }
        for handler in handlers { handler() }
    }

    /// Translates a report of the loop into an event of the public API.
    ///
    /// - Parameters:
    ///   - report: The report.
    ///   - sought: The item of the seek that the report answers.
    /// - Returns: The event, or nil if users are not concerned.
    func event(for report: PlaybackReport, sought: PlayerItem?) -> PlayerEvent? {
        switch report.change {
        case .playerStatusChanged(let status): .statusChanged(status)
        case .itemChanged(_, let id): .currentItemChanged(id.flatMap { item($0) })
        case .itemStatusChanged(let id, let status):
            item(id).map { .itemStatusChanged($0, status) }
        case .itemFailed(let id, _): item(id).map { .itemStatusChanged($0, .failed) }
        case .durationChanged(let id, let duration): item(id).map { .durationChanged($0, duration) }
        case .rateChanged(let old, let new, let reason):
            .rateChanged(from: old, to: new, reason: reason)
        case .timeControlChanged(let status, let reason):
            .timeControlStatusChanged(status, reason)
        case .bufferEmptyChanged(let id, let flag): item(id).map { .playbackBufferEmptyChanged($0, flag) }
        case .bufferFullChanged(let id, let flag): item(id).map { .playbackBufferFullChanged($0, flag) }
        case .likelyToKeepUpChanged(let id, let flag):
            item(id).map { .playbackLikelyToKeepUpChanged($0, flag) }
        case .repeatModeChanged(let setting): .repeatModeChanged(setting)
        case .interruptionBegan: .interruptionBegan
        case .interruptionEnded(let shouldResume): .interruptionEnded(shouldResume: shouldResume)
        case .interstitialBegan(let id): item(id).map { .interstitialBegan($0) }
        case .interstitialEnded(let id): item(id).map { .interstitialEnded($0) }
        case .playbackStalled(let id): item(id).map { .playbackStalled($0) }
        case .playedToEnd(let id, _): item(id).map { .didPlayToEndTime($0) }
        case .failedToPlayToEnd(let id, let error):
            item(id).map { .failedToPlayToEndTime($0, PlaybackError(error, url: $0.asset.url)) }
        case .timeJumped(let id, let time): item(id).map { .timeJumped($0, to: time) }
        case .passEnded(let id, let outcome):
            item(id).map { .passEnded($0, PlayerEvent.PassOutcome(outcome, url: $0.asset.url)) }
        case .presentationSizeChanged(let id, let size):
            item(id).map { .presentationSizeChanged($0, size) }
        case .tracksChanged(let id): item(id).map { .tracksChanged($0) }
        case .selectionChanged(let id): item(id).map { .mediaSelectionChanged($0) }
        case .readyForDisplayChanged(let id, let isReady):
            item(id).map { .readyForDisplayChanged($0, isReady) }
        case .loadedRangeChanged(let id, let range):
            item(id).map { .loadedTimeRangesChanged($0, range.map { [$0] } ?? []) }
        case .seekCompleted(_, let finished):
            sought.map { .seekCompleted($0, finished: finished) }
        case .prerollCompleted, .choiceApplied, .subtitlesNotOpened: nil
        case .effectiveRateChanged(let id, let rate): item(id).map { .effectiveRateChanged($0, rate) }
        // The fault is reported as an entry of the error log.
        case .fault: nil
        // The dropped frames are counted in the access log, and the change is reported to the logger.
        case .decodingFellBehind, .decodingKeepsUp: nil
        case .sinkFailed(let failure): .sinkFailed(PlaybackError(failure))
        }
    }
}

extension PlaybackError {
    init(_ failure: PlaybackChange.SinkFailure) {
        self.init(failure.error, url: nil)
        underlying = failure.underlying
        url = (failure.underlying as? PlaybackError)?.url
    }
}
