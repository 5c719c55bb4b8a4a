import MediaCore
import PlaybackEngine
import PlayheadBackend

/// Which calls an observer wants.
public struct ObservationOptions: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// One call at once, with the value as it is.
    public static let initial = ObservationOptions(rawValue: 1)
    /// The change tells the value after it.
    public static let new = ObservationOptions(rawValue: 2)
    /// The change tells the value before it.
    public static let old = ObservationOptions(rawValue: 4)
}

/// A property before and after a change; nil where it was not asked for.
public struct ObservedChange<Value> {
    /// The value before; nil without `.old`, and in the call that `.initial` makes.
    public let oldValue: Value?
    /// The value after; nil without `.new`.
    public let newValue: Value?
}

extension Player: Watchable, ObservableSource {
    var observers: ObserverList { core.watchers.observers }
    var callbackLane: (any Lane)? { core.callbacks }
    var newestMoment: ObservedSnapshot? { core.newestMoment }

    /// Calls `changeHandler` on the callback queue each time the value at `path` has changed, one change at a
    /// time and in causal order, until the token is invalidated or released.
    ///
    /// Old and new value are those before and after the change, also where the player has moved on since; a
    /// setter's change is told when the player has taken it. See docs/watching.md.
    public func observe<Value: Equatable & Sendable>(
        _ path: any (KeyPath<Player, Value> & Sendable),
        options: ObservationOptions = [],
        changeHandler: @escaping @Sendable (Player, ObservedChange<Value>) -> Void
    ) -> ObservationToken { watch(path, options, changeHandler) }
}

extension PlayerItem: Watchable, ObservableSource {
    var callbackLane: (any Lane)? { core?.callbacks }
    var newestMoment: ObservedSnapshot? {
        let (facts, sequence) = state.withLock { ($0.facts, $0.sequence) }
        return ObservedSnapshot(
            sequence: sequence,
            items: [ObservedSnapshot.ItemView(item: self, facts: facts)]
        )
    }

    /// As the event that is being told has it, or else as it is.
    var facts: ItemFacts {
        if let facts = ObservedSnapshot.current?.facts(of: self) { return facts }
        return state.withLock { $0.facts }
    }

    /// Like `Player.observe`, on the callback queue of the item's player; an item that moves takes its
    /// observers along. Without a player nothing changes, and the call that `.initial` asks for is made by
    /// the calling thread, before this returns.
    public func observe<Value: Equatable & Sendable>(
        _ path: any (KeyPath<PlayerItem, Value> & Sendable),
        options: ObservationOptions = [],
        changeHandler: @escaping @Sendable (PlayerItem, ObservedChange<Value>) -> Void
    ) -> ObservationToken { watch(path, options, changeHandler) }
}

extension PlayerLayer: Watchable, ObservableSource {
    var callbackLane: (any Lane)? { attachedCore?.callbacks }
    var newestMoment: ObservedSnapshot? { attachedCore?.newestMoment }

    /// Like `Player.observe`, on the callback queue of the layer's player. Without a player the call that
    /// `.initial` asks for is made by the calling thread, before this returns.
    public func observe<Value: Equatable & Sendable>(
        _ path: any (KeyPath<PlayerLayer, Value> & Sendable),
        options: ObservationOptions = [],
        changeHandler: @escaping @Sendable (PlayerLayer, ObservedChange<Value>) -> Void
    ) -> ObservationToken { watch(path, options, changeHandler) }
}

extension PlayerCore {
    /// The newest that was handed on to be told, or how a player begins.
    var newestMoment: ObservedSnapshot {
        if let posted = state.withLock({ $0.posted }) { return posted }
        let view = ObservedSnapshot.View(
            core: ObjectIdentifier(self),
            snapshot: PlaybackSnapshot(),
            facts: PlayerFacts()
        )
        return ObservedSnapshot(sequence: 0, player: view)
    }
}

// What can be compared can be observed.

extension PlayerItem: Hashable {
    /// An item equals itself and no other.
    public static func == (a: PlayerItem, b: PlayerItem) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension PlaybackError: Equatable {
    /// The same failure in the same words; what libraries said below is not compared.
    public static func == (a: PlaybackError, b: PlaybackError) -> Bool {
        a.code == b.code && a.message == b.message && a.url == b.url && a.track == b.track
            && a.time == b.time && a.isRetryable == b.isRetryable
    }
}
