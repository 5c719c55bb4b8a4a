public import Observation

// Swift's own observation. Whoever tracks a property is told at once by the thread that sets it, and at its
// place in the order when the player has changed. What is told of can be read already: somebody who reads
// again at once, on whatever thread, then never misses the new value.

extension Player: Observable {}
extension PlayerItem: Observable {}
extension PlayerLayer: Observable {}
extension PlayerLooper: Observable {}

/// What can be tracked: a player, an item, a layer, a looper.
protocol ObservableSource: AnyObject, Observable, Sendable {
    var registrar: ObservationRegistrar { get }
}

extension ObservableSource {
    /// Reads a property so that whoever tracks hears of its changes. No lock may be held: `announce` calls
    /// out, and so may this.
    func tracked<Value>(_ property: KeyPath<Self, Value>, _ value: () -> Value) -> Value {
        registrar.access(self, keyPath: property)
        return value()
    }

    func announce<Value>(_ property: KeyPath<Self, Value>) {
        registrar.willSet(self, keyPath: property)
        registrar.didSet(self, keyPath: property)
    }
}

/// A property that can be tracked, and the fact behind it.
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
        Tracked(\.repeatMode, \.repeatMode), Tracked(\.volume, \.volume), Tracked(\.isMuted, \.isMuted),
        Tracked(\.isInterrupted, \.isInterrupted),
    ]

    /// Tells who tracks what is different now.
    func announceChanges(since old: PlayerFacts, of player: Player) {
        for property in Self.tracked where property.differs(old, self) { property.announce(player) }
    }

    /// Whether anything that can be tracked is different.
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

    /// Tells who tracks what is different now.
    func announceChanges(since old: ItemFacts, of item: PlayerItem) {
        for property in Self.tracked where property.differs(old, self) { property.announce(item) }
    }
}

extension LooperFacts {
    private static let tracked: [Tracked<PlayerLooper, LooperFacts>] = [
        Tracked(\.status, \.status), Tracked(\.error, \.error), Tracked(\.loopCount, \.loopCount),
    ]

    /// Tells who tracks what is different now.
    func announceChanges(since old: LooperFacts, of looper: PlayerLooper) {
        for property in Self.tracked where property.differs(old, self) { property.announce(looper) }
    }
}
