import MediaCore
import PlaybackEngine
import PlayheadBackend

/// What can be observed by key path: a player, an item, a layer.
protocol Watchable: AnyObject, Sendable {
    var observers: ObserverList { get }
    /// Where handlers run; nil while no player stands behind the object.
    var callbackLane: (any Lane)? { get }
    /// The newest moment that was handed on to be told.
    var newestMoment: ObservedSnapshot? { get }
}

extension Watchable {
    func watch<Value: Equatable & Sendable>(
        _ path: any (KeyPath<Self, Value> & Sendable),
        _ options: ObservationOptions,
        _ handler: @escaping @Sendable (Self, ObservedChange<Value>) -> Void
    ) -> ObservationToken {
        let box = LastValue(newestMoment, wantsInitial: options.contains(.initial)) { [self] in
            self[keyPath: path]
        }
        let begin: @Sendable (Self) -> Void = { object in
            guard let value = box.takeInitial() else { return }
            let new = options.contains(.new) ? value : nil
            handler(object, ObservedChange(oldValue: nil, newValue: new))
        }
        let token = observers.add { [weak self] telling in
            guard let self else { return }
            // An event may come to the callback queue before the first call does.
            begin(self)
            let new = telling.moment.during { self[keyPath: path] }
            guard let old = box.exchange(new, at: telling.moment.sequence) else { return }
            handler(
                self,
                ObservedChange(
                    oldValue: options.contains(.old) ? old : nil,
                    newValue: options.contains(.new) ? new : nil
                )
            )
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
