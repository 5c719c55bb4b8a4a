import Foundation
import Observation
import Playhead
import Synchronization

/// Holds the closure that ends an observation.
struct Watching {
    let end: () -> Void
}

/// Returns a short description of a value.
func words<Value>(_ value: Value) -> String {
    // Unwrap an optional.
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional { return mirror.children.first.map { words($0.value) } ?? "none" }
    return switch value {
    case let time as MediaTime: String(format: "%.2f", time.seconds)
    case let ranges as [MediaTimeRange]: ranges.first.map { "to \(words($0.end))" } ?? "nothing"
    case let item as PlayerItem: item.asset.url.lastPathComponent
    case let tracks as [PlayerItemTrack]: "\(tracks.count)"
    case let status as Player.TimeControlStatus where status != .paused && status != .playing: "waiting"
    default: "\(value)"
    }
}

// MARK: By key path

func watchByKeyPath(_ player: Player, _ item: PlayerItem, _ layer: PlayerLayer, _ table: Table) -> Watching {
    @Sendable func told<Object, Value>(
        _ name: String
    ) -> @Sendable (Object, ObservedChange<Value>) -> Void {
        { _, change in
            if let value = change.newValue { table.add("\(name) \(words(value))", to: .observer) }
        }
    }
    let tokens = [
        player.observe(\.currentItem, options: .new, changeHandler: told("currentItem")),
        player.observe(\.rate, options: .new, changeHandler: told("rate")),
        player.observe(\.timeControlStatus, options: .new, changeHandler: told("timeControl")),
        item.observe(\.status, options: .new, changeHandler: told("item.status")),
        item.observe(\.duration, options: .new, changeHandler: told("item.duration")),
        item.observe(\.tracks, options: .new, changeHandler: told("item.tracks")),
        item.observe(\.isPlaybackBufferFull, options: .new, changeHandler: told("item.bufferFull")),
        item.observe(\.isPlaybackLikelyToKeepUp, options: .new, changeHandler: told("item.keepUp")),
        item.observe(\.loadedTimeRanges, options: .new, changeHandler: told("item.loaded")),
        layer.observe(\.isReadyForDisplay, options: .new, changeHandler: told("layer.ready")),
    ]
    return Watching { for token in tokens { token.invalidate() } }
}

// MARK: Tracking

func watchByTracking(_ player: Player, _ item: PlayerItem, _ layer: PlayerLayer, _ table: Table) {
    // A setter notifies trackers immediately on the caller's thread. The table shows only the changes in the player's order.
    let key = DispatchSpecificKey<Bool>()
    player.callbackQueue.setSpecific(key: key, value: true)
    @Sendable func track(_ name: String, _ read: @escaping @Sendable () -> String) {
        let once = Once()
        _ = withObservationTracking(read) {
            // May be called twice if two threads announce a change at the same time; see docs/watching.md.
            guard once.isFirst else { return }
            let value = read()
            if DispatchQueue.getSpecific(key: key) == true { table.add("\(name) \(value)", to: .tracking) }
            track(name, read)
        }
    }
    track("currentItem") { words(player.currentItem) }
    track("rate") { words(player.rate) }
    track("timeControl") { words(player.timeControlStatus) }
    track("item.status") { words(item.status) }
    track("item.duration") { words(item.duration) }
    track("item.tracks") { words(item.tracks) }
    track("item.bufferFull") { words(item.isPlaybackBufferFull) }
    track("item.keepUp") { words(item.isPlaybackLikelyToKeepUp) }
    track("item.loaded") { words(item.loadedTimeRanges) }
    track("layer.ready") { words(layer.isReadyForDisplay) }
}

// MARK: Notifications

func watchByNotification(_ player: Player, _ item: PlayerItem, _ table: Table) -> Watching {
    let names: [(Notification.Name, AnyObject, String)] = [
        (PlayerItem.didPlayToEndTime, item, "played to end"),
        (PlayerItem.timeJumped, item, "time jumped"),
        (PlayerItem.playbackStalled, item, "stalled"),
        (PlayerItem.newAccessLogEntry, item, "access log"),
    ]
    let center = NotificationCenter.default
    var notices = names.map { name, object, text in
        center.addObserver(forName: name, object: object, queue: nil) { _ in
            table.add(text, to: .notification)
        }
    }
    notices.append(
        center.addObserver(forName: Player.rateDidChange, object: player, queue: nil) { _ in
            table.add("rate \(words(player.rate))", to: .notification)
        }
    )
    return Watching { [notices] in for notice in notices { center.removeObserver(notice) } }
}

// MARK: Events

/// Returns an event in the form in which the other ways report it.
func words(for event: PlayerEvent) -> [String] {
    switch event {
    case .currentItemChanged(let item): ["currentItem \(words(item))"]
    case .rateChanged(_, let rate, _): ["rate \(words(rate))"]
    case .timeControlStatusChanged(let status, _): ["timeControl \(words(status))"]
    case .itemStatusChanged(_, let status): ["item.status \(words(status))"]
    case .durationChanged(_, let duration): ["item.duration \(words(duration))"]
    case .tracksChanged(let item): ["item.tracks \(words(item.tracks))"]
    case .playbackBufferFullChanged(_, let flag): ["item.bufferFull \(flag)"]
    case .playbackLikelyToKeepUpChanged(_, let flag): ["item.keepUp \(flag)"]
    case .loadedTimeRangesChanged(_, let ranges): ["item.loaded \(words(ranges))"]
    case .readyForDisplayChanged(_, let flag): ["layer.ready \(flag)"]
    case .didPlayToEndTime: ["played to end"]
    case .timeJumped: ["time jumped"]
    case .playbackStalled: ["stalled"]
    case .accessLogEntry: ["access log"]
    default: []
    }
}

/// A flag that reads as true exactly once.
final class Once: Sendable {
    private let isOver = Mutex(false)
    var isFirst: Bool {
        isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
    }
}
