import Foundation
import MediaCore
import PlaybackEngine

/// Everybody who watches a player: event streams, observers and notifications, told in that order.
final class Watchers: Sendable {
    private struct State {
        weak var player: Player?
        /// Items by attachment; weak, for an event that comes late need not keep its item.
        var items: [ItemID: WeakItem] = [:]
        var streams: [UInt64: Stream] = [:]
        var observers: [(id: UInt64, call: @Sendable (TimedPlayerEvent, PlaybackSnapshot) -> Void)] = []
        var ids: UInt64 = 0
        var isFinished = false
    }

    private struct WeakItem { weak var item: PlayerItem? }

    private struct Stream {
        let continuation: AsyncStream<TimedPlayerEvent>.Continuation
        var lost = 0
    }

    private let state = Locked(State())
    /// Events that a reader may lag behind before some are left out: a storm of seeks, or a minute of loops.
    private static let streamDepth = 4096

    func setPlayer(_ player: Player) { state.withLock { $0.player = player } }

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

    func observe(_ call: @escaping @Sendable (TimedPlayerEvent, PlaybackSnapshot) -> Void) -> UInt64 {
        state.withLock { state in
            state.ids += 1
            state.observers.append((state.ids, call))
            return state.ids
        }
    }

    func stopObserving(_ id: UInt64) { state.withLock { $0.observers.removeAll { $0.id == id } } }

    /// On the callback lane.
    func tell(_ event: TimedPlayerEvent, _ snapshot: PlaybackSnapshot) {
        let (player, observers, isFinished) = state.withLock { ($0.player, $0.observers, $0.isFinished) }
        guard !isFinished else { return }
        yield(event)
        for observer in observers { observer.call(event, snapshot) }
        Bulletin.post(event.event, player: player)
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
                state.observers = []
                state.isFinished = true
            }
            return state.streams.values
        }
        for stream in streams { stream.continuation.finish() }
    }

    /// The loop's words in the public API's; nil: nothing that a user sees.
    func event(for report: PlaybackReport, url: URL?) -> PlayerEvent? {
        switch report.content {
        case .notice(let notice): return event(for: notice)
        case .presentationSizeChanged(let id, let size):
            return item(id).map { .presentationSizeChanged($0, size) }
        case .tracksChanged(let id): return item(id).map { .tracksChanged($0) }
        case .selectionChanged(let id): return item(id).map { .mediaSelectionChanged($0) }
        case .readyForDisplayChanged(let id, let isReady):
            return item(id).map { .readyForDisplayChanged($0, isReady) }
        case .seekCompleted(_, let finished):
            return current.map { .seekCompleted($0, finished: finished) }
        case .prerollCompleted: return nil
        case .fault(let id, let error):
            return id.flatMap { item($0) }.map { .errorLogEntry($0, PlaybackError(error, url: $0.asset.url)) }
        case .sinkFailed(let error, let underlying):
            var words = PlaybackError(error, url: nil)
            words.underlying = underlying
            return .sinkFailed(words)
        }
    }

    private var current: PlayerItem? { state.withLock { $0.player }?.currentItem }

    private func event(for notice: PlaybackNotice) -> PlayerEvent? {
        switch notice {
        case .playerStatusChanged(let status): .statusChanged(Player.Status(status))
        case .itemChanged(_, let id): .currentItemChanged(id.flatMap { item($0) })
        case .itemStatusChanged(let id, let status):
            item(id).map { .itemStatusChanged($0, PlayerItem.Status(rawValue: status.rawValue) ?? .unknown) }
        case .itemFailed(let id, _): item(id).map { .itemStatusChanged($0, .failed) }
        case .durationChanged(let id, let duration): item(id).map { .durationChanged($0, duration) }
        case .rateChanged(let old, let new, let reason):
            .rateChanged(
                from: old,
                to: new,
                reason: PlayerEvent.RateChange(rawValue: reason.rawValue) ?? .setRateCalled
            )
        case .timeControlChanged(let status, let reason):
            .timeControlStatusChanged(
                Player.TimeControlStatus(status),
                reason.flatMap { Player.WaitingReason(rawValue: $0.rawValue) }
            )
        case .bufferEmptyChanged(let id, let flag): item(id).map { .playbackBufferEmptyChanged($0, flag) }
        case .bufferFullChanged(let id, let flag): item(id).map { .playbackBufferFullChanged($0, flag) }
        case .likelyToKeepUpChanged(let id, let flag):
            item(id).map { .playbackLikelyToKeepUpChanged($0, flag) }
        case .repeatModeChanged(let setting): .repeatModeChanged(Player.RepeatMode(setting))
        case .playbackStalled(let id): item(id).map { .playbackStalled($0) }
        case .playedToEnd(let id, _): item(id).map { .didPlayToEndTime($0) }
        case .failedToPlayToEnd(let id, let error):
            item(id).map { .failedToPlayToEndTime($0, PlaybackError(error, url: $0.asset.url)) }
        case .timeJumped(let id, let time): item(id).map { .timeJumped($0, to: time) }
        }
    }
}
