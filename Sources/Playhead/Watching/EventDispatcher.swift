import Foundation
import MediaCore
import PlaybackEngine

/// Everybody who watches a player: event streams, observers and notifications, told in that order.
final class EventDispatcher: Sendable {
    private struct State {
        weak var player: Player?
        /// Items by attachment; weak, for an event that comes late need not keep its item.
        var items: [ItemID: WeakItem] = [:]
        var streams: [UInt64: Stream] = [:]
        /// Found by name: looking into one under the lock could make this the last to let go of it.
        var layers: [(id: ObjectIdentifier, weak: WeakLayer)] = []
        var ids: UInt64 = 0
        var isFinished = false
    }

    private struct WeakItem { weak var item: PlayerItem? }
    private struct WeakLayer { weak var layer: PlayerLayer? }

    private struct Stream {
        let continuation: AsyncStream<TimedPlayerEvent>.Continuation
        var lost = 0
    }

    private let state = Locked(State())
    /// Of the player itself; items and layers have their own.
    let observers = ObserverList()
    /// Events that a reader may lag behind before some are left out: a storm of seeks, or a minute of loops.
    private static let streamDepth = 4096

    func setPlayer(_ player: Player) { state.withLock { $0.player = player } }
    var player: Player? { state.withLock { $0.player } }

    func add(_ layer: PlayerLayer) {
        state.withLock { $0.layers.append((ObjectIdentifier(layer), WeakLayer(layer: layer))) }
    }

    func remove(_ layer: ObjectIdentifier) {
        state.withLock { state in state.layers.removeAll { $0.id == layer } }
    }

    /// Where frames are shown, for as long as all layers say how large that is.
    var displays: [VariantPreference.Display] {
        let layers = state.withLock { $0.layers }.compactMap(\.weak.layer)
        let displays = layers.compactMap(\.display)
        return displays.count == layers.count ? displays : []
    }

    /// A layer has work with each frame.
    var changesFrames: Bool {
        state.withLock { $0.layers }.contains { $0.weak.layer?.changesFrames ?? false }
    }

    func remember(_ item: PlayerItem, _ id: ItemID) {
        state.withLock { state in
            state.items = state.items.filter { $0.value.item != nil }
            state.items[id] = WeakItem(item: item)
        }
    }

    func item(_ id: ItemID) -> PlayerItem? { state.withLock { $0.items[id]?.item } }

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

    func makeID() -> UInt64 {
        state.withLock { state in
            state.ids += 1
            return state.ids
        }
    }

    /// On the callback lane: by stream, by key path, to who tracks, by notification; the player before its
    /// item, the item before the layers.
    func tell(_ telling: ChangeNotification) {
        let (player, isFinished, all) = state.withLock { ($0.player, $0.isFinished, $0.layers) }
        guard !isFinished, let event = telling.event else { return }
        let layers = all.compactMap(\.weak.layer)
        yield(event)
        let items = telling.moment.items
        observers.tell(telling)
        for view in items { view.item.observers.tell(telling) }
        for layer in layers { layer.observers.tell(telling) }
        telling.moment.during {
            if let player { telling.moment.player?.facts.announceChanges(since: telling.before, of: player) }
            for (view, before) in zip(items, telling.itemsBefore) {
                view.facts.announceChanges(since: before, of: view.item)
            }
            if telling.moment.player?.facts.isReadyForDisplay != telling.before.isReadyForDisplay {
                for layer in layers { layer.announce(\.isReadyForDisplay) }
            }
        }
        NotificationPoster.post(event.event, player: player)
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
        let streams = state.withLock { state in
            defer {
                state.streams = [:]
                state.layers = []
                state.isFinished = true
            }
            return state.streams.values
        }
        observers.close()
        for stream in streams { stream.continuation.finish() }
    }

    /// The loop's words in the public API's; nil: nothing that a user sees.
    /// `sought`: the item of the seek that the report answers.
    func event(for report: PlaybackReport, sought: PlayerItem?) -> PlayerEvent? {
        switch report.content {
        case .notice(let notice): return event(for: notice)
        case .presentationSizeChanged(let id, let size):
            return item(id).map { .presentationSizeChanged($0, size) }
        case .tracksChanged(let id): return item(id).map { .tracksChanged($0) }
        case .selectionChanged(let id): return item(id).map { .mediaSelectionChanged($0) }
        case .readyForDisplayChanged(let id, let isReady):
            return item(id).map { .readyForDisplayChanged($0, isReady) }
        case .loadedRangeChanged(let id, let range):
            return item(id).map { .loadedTimeRangesChanged($0, range.map { [$0] } ?? []) }
        case .seekCompleted(_, let finished):
            return sought.map { .seekCompleted($0, finished: finished) }
        case .prerollCompleted, .choiceTaken: return nil
        case .effectiveRateChanged(let id, let rate): return item(id).map { .effectiveRateChanged($0, rate) }
        // Told as an entry of the error log.
        case .fault: return nil
        // Counted in the access log, and told to the logger.
        case .decodingFellBehind, .decodingKeepsUp: return nil
        case .sinkFailed(let error, let underlying):
            var words = PlaybackError(error, url: nil)
            words.underlying = underlying
            return .sinkFailed(words)
        }
    }

    private func event(for notice: PlaybackNotice) -> PlayerEvent? {
        switch notice {
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
        case .playbackStalled(let id): item(id).map { .playbackStalled($0) }
        case .playedToEnd(let id, _): item(id).map { .didPlayToEndTime($0) }
        case .failedToPlayToEnd(let id, let error):
            item(id).map { .failedToPlayToEndTime($0, PlaybackError(error, url: $0.asset.url)) }
        case .timeJumped(let id, let time): item(id).map { .timeJumped($0, to: time) }
        case .passEnded(let id, let outcome):
            item(id).map { .passEnded($0, PlayerEvent.PassOutcome(outcome, url: $0.asset.url)) }
        }
    }
}
