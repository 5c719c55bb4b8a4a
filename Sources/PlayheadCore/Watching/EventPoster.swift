import MediaCore
import PlaybackEngine
import PlayheadBackend

/// Posts the notifications of a player under names and with objects of another API.
package protocol EventPoster: AnyObject, Sendable {
    /// Posts the notification of an event, if it has one. Called on the callback queue for every event in causal order,
    /// after the observers have been notified.
    ///
    /// - Parameter event: The event and its times.
    func post(_ event: TimedPlayerEvent)
}

extension Player {
    /// Replaces the notifications of `Playhead` by those of another API.
    ///
    /// - Parameter poster: The object that posts from now on. The player does not retain it. After its release the
    ///   player posts nothing.
    package func setEventPoster(_ poster: any EventPoster) { core.dispatcher.setPoster(poster) }

    /// Calls a closure on the callback queue, after the delivery of the events that were reported before the call. The
    /// closure is released without a call if the player is released first.
    ///
    /// - Parameter body: The closure.
    package func performAfterReportedEvents(_ body: @escaping @Sendable () -> Void) {
        core.loop.perform { [callbacks = core.callbacks] _ in callbacks.enqueue(body) }
    }

    /// Calls a closure on the callback queue, also if the player is released first.
    ///
    /// - Parameter body: The closure.
    package func performOnCallbackQueue(_ body: @escaping @Sendable () -> Void) {
        core.callbacks.enqueue(body)
    }
}

extension PlayerItem {
    /// The object that represents the item in another API. The item does not retain it.
    package var representation: (any AnyObject & Sendable)? {
        get { state.withLock { $0.representation } }
        set { state.withLock { $0.representation = newValue } }
    }
}
