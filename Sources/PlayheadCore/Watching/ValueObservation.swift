import MediaCore
import PlaybackEngine
import PlayheadBackend

/// An observation of a value that a closure reads from a player, an item, a layer or a looper, and from objects that
/// represent them in another API.
///
/// It is one of the observers of its object, so its calls are in the order of `Player.observe(_:options:changeHandler:)`
/// and on the callback queue. The closure reads the state at the change. It may be used from any thread.
package struct ValueObservation<Value: Sendable>: Sendable {
    /// The value at the time of the registration, as a getter returned it; nil if the closure returned nil.
    package let initialValue: Value?
    /// The token that ends the observation when it is invalidated or released.
    package let token: ObservationToken

    package init(initialValue: Value?, token: ObservationToken) {
        self.initialValue = initialValue
        self.token = token
    }
}

extension Watchable {
    fileprivate func observe<Value: Equatable & Sendable>(
        reading read: @escaping @Sendable () -> Value?,
        _ handler: @escaping @Sendable (_ old: Value, _ new: Value) -> Void
    ) -> ValueObservation<Value> {
        let known = KnownValue<Value>()
        let token = observers.add { notification in
            guard let new = notification.observed.withCurrent(read),
                let old = known.exchange(new, at: notification.observed.sequence)
            else { return }
            handler(old, new)
        }
        let initial = known.start(from: self) { latest in
            let initial = read()
            return (reported: latest?.withCurrent(read) ?? initial, known: initial)
        }
        return ValueObservation(initialValue: initial, token: token)
    }
}

extension Player {
    /// Observes a value that depends on the player, its items or its settings.
    ///
    /// - Parameters:
    ///   - read: Reads the value. Called on the calling thread and on the callback queue; nil ends the calls.
    ///   - handler: Called on the callback queue with the values before and after each change.
    /// - Returns: The observation, which the caller retains.
    package func observeValue<Value: Equatable & Sendable>(
        reading read: @escaping @Sendable () -> Value?,
        changeHandler handler: @escaping @Sendable (_ old: Value, _ new: Value) -> Void
    ) -> ValueObservation<Value> { observe(reading: read, handler) }

    /// Notifies the observers of values of a setting that has no event of its own, such as `actionAtItemEnd`. The
    /// notification follows the events that were reported before the call.
    package func settingDidChange() {
        core.loop.perform { [weak core] _ in
            guard let core else { return }
            let observed = core.latestSnapshot.numbered()
            core.callbacks.enqueue { [dispatcher = core.dispatcher] in
                dispatcher.observers.notify(ChangeNotification(event: nil, observed: observed))
            }
        }
    }
}

extension PlayerItem {
    /// Observes a value that depends on the item; see `Player.observeValue(reading:changeHandler:)`.
    ///
    /// - Parameters:
    ///   - read: Reads the value; nil ends the calls.
    ///   - handler: Called on the callback queue of the item's player with the values before and after each change.
    /// - Returns: The observation, which the caller retains.
    package func observeValue<Value: Equatable & Sendable>(
        reading read: @escaping @Sendable () -> Value?,
        changeHandler handler: @escaping @Sendable (_ old: Value, _ new: Value) -> Void
    ) -> ValueObservation<Value> { observe(reading: read, handler) }
}

extension PlayerLayer {
    /// Observes a value that depends on the layer; see `Player.observeValue(reading:changeHandler:)`.
    ///
    /// - Parameters:
    ///   - read: Reads the value; nil ends the calls.
    ///   - handler: Called on the callback queue of the layer's player with the values before and after each change.
    /// - Returns: The observation, which the caller retains.
    package func observeValue<Value: Equatable & Sendable>(
        reading read: @escaping @Sendable () -> Value?,
        changeHandler handler: @escaping @Sendable (_ old: Value, _ new: Value) -> Void
    ) -> ValueObservation<Value> { observe(reading: read, handler) }
}

extension PlayerLooper {
    /// Observes a value that depends on the looper; see `Player.observeValue(reading:changeHandler:)`.
    ///
    /// - Parameters:
    ///   - read: Reads the value; nil ends the calls.
    ///   - handler: Called on the callback queue of the looper's player with the values before and after each change.
    /// - Returns: The observation, which the caller retains.
    package func observeValue<Value: Equatable & Sendable>(
        reading read: @escaping @Sendable () -> Value?,
        changeHandler handler: @escaping @Sendable (_ old: Value, _ new: Value) -> Void
    ) -> ValueObservation<Value> { observe(reading: read, handler) }
}
