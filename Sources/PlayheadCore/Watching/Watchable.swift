import MediaCore
import PlaybackEngine
import PlayheadBackend

/// An object that can be observed by key path: a player, an item, a layer or a looper.
protocol Watchable: AnyObject, Sendable {
    var observers: ObserverList { get }
    /// The lane for handlers; nil without a player.
    var callbackLane: (any Lane)? { get }
    /// The snapshot of the newest event that was enqueued for delivery.
    var latestSnapshot: ObservedSnapshot? { get }
}

extension Watchable {
    func watch<Value: Equatable & Sendable>(
        _ path: any (KeyPath<Self, Value> & Sendable),
        _ options: ObservationOptions,
        _ handler: @escaping @Sendable (Self, ObservedChange<Value>) -> Void
    ) -> ObservationToken {
        let box = KnownValue<Value>(sendsInitial: options.contains(.initial))
        let begin: @Sendable (Self) -> Void = { object in
            guard let value = box.consumeInitialValue() else { return }
            let new = options.contains(.new) ? value : nil
            handler(object, ObservedChange(oldValue: nil, newValue: new))
        }
        let token = observers.add { [weak self] notification in
            guard let self else { return }
            // An event may reach the callback queue before the first call.
            begin(self)
            let new = notification.observed.withCurrent { self[keyPath: path] }
            guard let old = box.exchange(new, at: notification.observed.sequence) else { return }
            handler(
                self,
                ObservedChange(
                    oldValue: options.contains(.old) ? old : nil,
                    newValue: options.contains(.new) ? new : nil
                )
            )
        }
        box.start(from: self) { latest in
            let value = latest?.withCurrent { self[keyPath: path] } ?? self[keyPath: path]
            return (reported: value, known: value)
        }
        if let lane = callbackLane {
            lane.enqueue { [weak self, weak token] in
                if let self, let token, token.isValid { begin(self) }
            }
        } else {
            begin(self)
        }
        return token
    }
}
