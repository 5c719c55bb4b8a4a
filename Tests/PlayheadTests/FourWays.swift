import Foundation
import Observation
import Playhead
import PlayheadTesting
import Synchronization

/// The changes that one way of observing has reported, as "name value"; the same value never occurs twice in a row.
final class Column: Sendable {
    private let state = Mutex((last: [String: String](), lines: [String]()))

    var lines: [String] { state.withLock { $0.lines } }

    /// The value of each property before the first change.
    func expect(_ name: String, _ value: String) { state.withLock { $0.last[name] = value } }

    func see(_ name: String, _ value: String) {
        state.withLock { state in
            guard state.last.updateValue(value, forKey: name) != value else { return }
            state.lines.append("\(name) \(value)")
        }
    }

    /// The lines of each property separately, because the order among trackers of several properties is not defined.
    var byProperty: [Substring: [String]] { Dictionary(grouping: lines) { $0.prefix { $0 != " " } } }

    func add(_ line: String) { state.withLock { $0.lines.append(line) } }
}

/// Observes a player, its layer and some items in four ways: by events, by key path, with `Observation` and by
/// notifications.
final class FourWays: Sendable {
    let streamed = Column()
    let byPath = Column()
    let tracked = Column()
    let posted = Column()
    /// The notifications that must be posted according to the streams.
    let due = Column()
    /// The values that derive from other properties: by key path, and tracked.
    let derivedByPath = Column()
    let derivedTracked = Column()

    private let tokens = Mutex([ObservationToken]())
    private let notices = Locked([any NSObjectProtocol]())
    /// A setter notifies trackers at once; the columns contain what is reported in the player's order.
    private let isSetting = Mutex(false)
    private let stream: AsyncStream<TimedPlayerEvent>
    private let names: [ObjectIdentifier: String]

    init(_ player: Player, _ layer: PlayerLayer, items: [(String, PlayerItem)]) {
        stream = player.timedEvents
        names = Dictionary(uniqueKeysWithValues: items.map { (ObjectIdentifier($0.1), $0.0) })
        watch(player)
        watch(layer)
        for (name, item) in items { watch(item, name) }
        listen(player, items.map(\.1))
    }

    deinit {
        for notice in notices.withLock({ $0 }) { NotificationCenter.default.removeObserver(notice) }
    }

    func set(_ body: () -> Void) {
        isSetting.withLock { $0 = true }
        body()
        isSetting.withLock { $0 = false }
    }

    private func name(_ item: PlayerItem?) -> String {
        item.map { names[ObjectIdentifier($0)] ?? "?" } ?? "none"
    }

    /// Reads everything that the player's stream contains, after the player was released.
    func readStream() async {
        for await event in stream {
            for (name, value) in Self.changes(in: event.event, name: self.name) { streamed.see(name, value) }
            if let line = Self.notification(for: event.event) { due.add(line) }
        }
    }

    // MARK: By key path, and tracked

    private func watch(_ player: Player) {
        property(player, \.rate, "rate") { "\($0)" }
        property(player, \.timeControlStatus, "timeControlStatus") { "\($0)" }
        property(player, \.reasonForWaitingToPlay, "reason") { $0.map { "\($0)" } ?? "none" }
        property(player, \.status, "status") { "\($0)" }
        property(player, \.repeatMode, "repeatMode") { "\($0)" }
        property(player, \.volume, "volume") { "\($0)" }
        property(player, \.isMuted, "muted") { "\($0)" }
        property(player, \.isScrubbing, "scrubbing") { "\($0)" }
        property(player, \.isInterrupted, "interrupted") { "\($0)" }
        property(player, \.currentItem, "currentItem") { [weak self] in self?.name($0) ?? "" }
    }

    private func watch(_ layer: PlayerLayer) {
        let token = layer.observe(\.isReadyForDisplay, options: .new) { [weak self] _, change in
            self?.byPath.see("ready", "\(change.newValue ?? false)")
        }
        keep(token, "ready", "\(layer.isReadyForDisplay)")
        track("ready") { [weak layer] in "\(layer?.isReadyForDisplay ?? false)" }
    }

    private func watch(_ item: PlayerItem, _ name: String) {
        property(item, \.status, "\(name).status") { "\($0)" }
        property(item, \.error, "\(name).error") { "\($0?.code.rawValue ?? "none")" }
        property(item, \.duration, "\(name).duration") { "\($0.seconds)" }
        property(item, \.tracks, "\(name).tracks") { "\($0.count)" }
        property(item, \.presentationSize, "\(name).size") { "\($0)" }
        property(item, \.isPlaybackBufferEmpty, "\(name).empty") { "\($0)" }
        property(item, \.isPlaybackBufferFull, "\(name).full") { "\($0)" }
        property(item, \.isPlaybackLikelyToKeepUp, "\(name).keepUp") { "\($0)" }
        property(item, \.loadedTimeRanges, "\(name).loaded") { "\($0.map(\.end.seconds))" }
        derived(item, \.seekableTimeRanges, "\(name).seekable") { "\($0.map(\.end.seconds))" }
        derived(item, \.canPlayReverse, "\(name).canPlayReverse") { "\($0)" }
        derived(item, \.canPlayFastForward, "\(name).canPlayFastForward") { "\($0)" }
        derived(item, \.canStepForward, "\(name).canStepForward") { "\($0)" }
        derived(item, \.canStepBackward, "\(name).canStepBackward") { "\($0)" }
    }

    /// The values that derive from other properties and have no event of their own.
    private func derived<Value: Equatable & Sendable>(
        _ item: PlayerItem,
        _ path: any KeyPath<PlayerItem, Value> & Sendable,
        _ name: String,
        _ words: @escaping @Sendable (Value) -> String
    ) {
        let token = item.observe(path, options: .new) { [weak self] _, change in
            if let value = change.newValue { self?.derivedByPath.see(name, words(value)) }
        }
        tokens.withLock { $0.append(token) }
        for column in [derivedByPath, derivedTracked] { column.expect(name, words(item[keyPath: path])) }
        trackDerived(name) { [weak item] in item.map { words($0[keyPath: path]) } ?? "" }
    }

    private func trackDerived(_ name: String, _ read: @escaping @Sendable () -> String) {
        let value = withObservationTracking(read) { [weak self] in self?.trackDerived(name, read) }
        derivedTracked.see(name, value)
    }

    private func property<Value: Equatable & Sendable>(
        _ player: Player,
        _ path: any KeyPath<Player, Value> & Sendable,
        _ name: String,
        _ words: @escaping @Sendable (Value) -> String
    ) {
        let token = player.observe(path, options: .new) { [weak self] _, change in
            if let value = change.newValue { self?.byPath.see(name, words(value)) }
        }
        keep(token, name, words(player[keyPath: path]))
        track(name) { [weak player] in player.map { words($0[keyPath: path]) } ?? "" }
    }

    private func property<Value: Equatable & Sendable>(
        _ item: PlayerItem,
        _ path: any KeyPath<PlayerItem, Value> & Sendable,
        _ name: String,
        _ words: @escaping @Sendable (Value) -> String
    ) {
        let token = item.observe(path, options: .new) { [weak self] _, change in
            if let value = change.newValue { self?.byPath.see(name, words(value)) }
        }
        keep(token, name, words(item[keyPath: path]))
        track(name) { [weak item] in item.map { words($0[keyPath: path]) } ?? "" }
    }

    private func keep(_ token: ObservationToken, _ name: String, _ value: String) {
        tokens.withLock { $0.append(token) }
        for column in [streamed, byPath, tracked] { column.expect(name, value) }
    }

    private func track(_ name: String, _ read: @escaping @Sendable () -> String) {
        let value = withObservationTracking(read) { [weak self] in self?.track(name, read) }
        if !isSetting.withLock({ $0 }) { tracked.see(name, value) }
    }

    // MARK: Notifications

    private func listen(_ player: Player, _ items: [PlayerItem]) {
        for item in items {
            hear(PlayerItem.didPlayToEndTime, of: item, "end")
            hear(PlayerItem.failedToPlayToEndTime, of: item, "failed")
            hear(PlayerItem.playbackStalled, of: item, "stalled")
            hear(PlayerItem.timeJumped, of: item, "jumped")
            hear(PlayerItem.newErrorLogEntry, of: item, "error")
            hear(PlayerItem.newAccessLogEntry, of: item, "access")
        }
        hear(Player.rateDidChange, of: player, "rate")
    }

    private func hear(_ name: Notification.Name, of object: AnyObject, _ word: String) {
        let center = NotificationCenter.default
        let notice = center.addObserver(forName: name, object: object, queue: nil) { [weak self] note in
            let reason = note.userInfo?[Player.rateDidChangeReasonKey] as? PlayerEvent.RateChange
            self?.posted.add(word + (reason.map { " \($0)" } ?? ""))
        }
        notices.withLock { $0.append(notice) }
    }
}
