public import Observation

// Observation with the standard library's `Observable`. The trackers of a property are notified on the thread that sets
// it, and in the order of events when the player has changed. The notification follows after the new value is visible,
// so a reader on any thread that reads again at once never misses it.

extension Player: Observable {}
extension PlayerItem: Observable {}
extension PlayerLayer: Observable {}
extension PlayerLooper: Observable {}

/// An object whose properties can be tracked with `Observation`: a player, an item, a layer or a looper.
protocol ObservableSource: AnyObject, Observable, Sendable {
    var registrar: ObservationRegistrar { get }
}

extension ObservableSource {
    /// Reads a property and registers the access for observation. No lock may be held, because observation calls out.
    func tracked<Value>(_ property: KeyPath<Self, Value>, _ value: () -> Value) -> Value {
        registrar.access(self, keyPath: property)
        return value()
    }

    /// Notifies the trackers of a property. No lock may be held, because observation calls out.
    func announce<Value>(_ property: KeyPath<Self, Value>) {
        registrar.willSet(self, keyPath: property)
        registrar.didSet(self, keyPath: property)
    }
}

/// A property that can be tracked, and the fact that it reports.
private struct Tracked<Object: ObservableSource, Facts>: Sendable {
    let differs: @Sendable (Facts, Facts) -> Bool
    let announce: @Sendable (Object) -> Void

    init<Value, Fact: Equatable & SendableMetatype>(
        _ property: any KeyPath<Object, Value> & Sendable,
        _ fact: any KeyPath<Facts, Fact> & Sendable
    ) {
        differs = { $0[keyPath: fact] != $1[keyPath: fact] }
        announce = { $0.announce(property) }
    }
}

extension PlayerFacts {
    private static let tracked: [Tracked<Player, PlayerFacts>] = [
        Tracked(\.currentItem, \.item), Tracked(\.status, \.status), Tracked(\.rate, \.rate),
        Tracked(\.timeControlStatus, \.timeControlStatus),
        Tracked(\.reasonForWaitingToPlay, \.reasonForWaitingToPlay),
        Tracked(\.repeatMode, \.repeatMode), Tracked(\.volume, \.settings.volume),
        Tracked(\.isMuted, \.settings.isMuted), Tracked(\.isScrubbing, \.settings.isScrubbing),
        Tracked(\.isInterrupted, \.isInterrupted),
    ]

    /// Notifies the trackers of the properties that differ.
    func announceChanges(since old: PlayerFacts, of player: Player) {
        for property in Self.tracked where property.differs(old, self) { property.announce(player) }
    }

    /// Returns whether any property that can be tracked differs.
    func differs(from old: PlayerFacts) -> Bool { Self.tracked.contains { $0.differs(old, self) } }
}

extension ItemFacts {
    private static let tracked: [Tracked<PlayerItem, ItemFacts>] = [
        Tracked(\.tracks, \.tracks), Tracked(\.currentMediaSelection, \.tracks),
        Tracked(\.duration, \.duration), Tracked(\.status, \.status),
        Tracked(\.error, \.error), Tracked(\.presentationSize, \.presentationSize),
        Tracked(\.isPlaybackBufferEmpty, \.isBufferEmpty), Tracked(\.isPlaybackBufferFull, \.isBufferFull),
        Tracked(\.isPlaybackLikelyToKeepUp, \.isLikelyToKeepUp),
        Tracked(\.loadedTimeRanges, \.loadedTimeRanges),
    ]

    /// Notifies the trackers of the properties that differ.
    func announceChanges(since old: ItemFacts, of item: PlayerItem) {
        for property in Self.tracked where property.differs(old, self) { property.announce(item) }
    }
}

extension LooperFacts {
    private static let tracked: [Tracked<PlayerLooper, LooperFacts>] = [
        Tracked(\.status, \.status), Tracked(\.error, \.error), Tracked(\.loopCount, \.loopCount),
    ]

    /// Notifies the trackers of the properties that differ.
    func announceChanges(since old: LooperFacts, of looper: PlayerLooper) {
        for property in Self.tracked where property.differs(old, self) { property.announce(looper) }
    }
}
