import MediaCore
import PlaybackEngine
import PlayheadBackend

/// The calls and values that an observer requests.
public struct ObservationOptions: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: Int
    /// Creates options from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Requests a first call with the present value.
    public static let initial = ObservationOptions(rawValue: 1)
    /// Requests the value after each change.
    public static let new = ObservationOptions(rawValue: 2)
    /// Requests the value before each change.
    public static let old = ObservationOptions(rawValue: 4)
}

/// A change of a property. Values that were not requested are nil.
public struct ObservedChange<Value> {
    /// The value before the change; nil without `.old`, and in the first call that `.initial` requests.
    public let oldValue: Value?
    /// The value after the change; nil without `.new`.
    public let newValue: Value?
}

extension Player: Watchable, ObservableSource {
    var observers: ObserverList { core.dispatcher.observers }
    var callbackLane: (any Lane)? { core.callbacks }
    var latestSnapshot: ObservedSnapshot? { core.latestSnapshot }

    /// Observes a property by key path until the token is invalidated or released.
    ///
    /// The handler is called on the callback queue for each change, one at a time and in causal order. The values are
    /// those before and after the change, even if the player has advanced since then. The change of a setter is
    /// reported when the engine has applied it.
    ///
    /// - Parameters:
    ///   - path: The key path of the property.
    ///   - options: The calls and values that the observer requests.
    ///   - changeHandler: Called with the player and the change.
    /// - Returns: A token that ends the observation when it is invalidated or released.
    public func observe<Value: Equatable & Sendable>(
        _ path: any (KeyPath<Player, Value> & Sendable),
        options: ObservationOptions = [],
        changeHandler: @escaping @Sendable (Player, ObservedChange<Value>) -> Void
    ) -> ObservationToken { watch(path, options, changeHandler) }
}

extension PlayerItem: Watchable, ObservableSource {
    var callbackLane: (any Lane)? { core?.callbacks }
    var latestSnapshot: ObservedSnapshot? {
        let (facts, sequence) = state.withLock { ($0.facts, $0.sequence) }
        return ObservedSnapshot(
            sequence: sequence,
            items: [ObservedSnapshot.ItemView(item: self, facts: facts)]
        )
    }

    /// The values at the event that is being delivered, or the present ones.
    var facts: ItemFacts {
        if let facts = ObservedSnapshot.current?.facts(of: self) { return facts }
        return state.withLock { $0.facts }
    }

    /// Observes a property by key path, like `Player.observe(_:options:changeHandler:)`, on the callback queue of the
    /// item's player. The observation continues when the item moves to another player. Without a player nothing
    /// changes; the call that `.initial` requests is made on the calling thread before the method returns.
    ///
    /// - Parameters:
    ///   - path: The key path of the property.
    ///   - options: The calls and values that the observer requests.
    ///   - changeHandler: Called with the item and the change.
    /// - Returns: A token that ends the observation when it is invalidated or released.
    public func observe<Value: Equatable & Sendable>(
        _ path: any (KeyPath<PlayerItem, Value> & Sendable),
        options: ObservationOptions = [],
        changeHandler: @escaping @Sendable (PlayerItem, ObservedChange<Value>) -> Void
    ) -> ObservationToken { watch(path, options, changeHandler) }
}

extension PlayerLayer: Watchable, ObservableSource {
    var callbackLane: (any Lane)? { attachedCore?.callbacks }

    /// Observes a property by key path, like `Player.observe(_:options:changeHandler:)`, on the callback queue of the
    /// layer's player. Without a player, the call that `.initial` requests is made on the calling thread before the
    /// method returns.
    ///
    /// - Parameters:
    ///   - path: The key path of the property.
    ///   - options: The calls and values that the observer requests.
    ///   - changeHandler: Called with the layer and the change.
    /// - Returns: A token that ends the observation when it is invalidated or released.
    public func observe<Value: Equatable & Sendable>(
        _ path: any (KeyPath<PlayerLayer, Value> & Sendable),
        options: ObservationOptions = [],
        changeHandler: @escaping @Sendable (PlayerLayer, ObservedChange<Value>) -> Void
    ) -> ObservationToken { watch(path, options, changeHandler) }
}

extension PlayerCore {
    /// The snapshot of the newest event that was enqueued for delivery, or the initial state of a player.
    var latestSnapshot: ObservedSnapshot {
        if let posted = state.withLock({ $0.posted }) { return posted }
        let view = ObservedSnapshot.View(
            core: ObjectIdentifier(self),
            snapshot: PlaybackSnapshot(),
            facts: PlayerFacts()
        )
        return ObservedSnapshot(sequence: 0, player: view)
    }
}

// Conformances that observation by key path requires: the values of observed properties are compared.

extension PlayerItem: Hashable {
    /// Returns whether both are the same object.
    public static func == (a: PlayerItem, b: PlayerItem) -> Bool { a === b }
    /// Hashes the identity of the item.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension PlaybackError: Equatable {
    /// Returns whether both describe the same failure with the same message. Underlying errors are not compared.
    public static func == (a: PlaybackError, b: PlaybackError) -> Bool {
        a.code == b.code && a.message == b.message && a.url == b.url && a.track == b.track
            && a.time == b.time && a.isRetryable == b.isRetryable
    }
}
