import PlaybackEngine
import PlayheadBackend

/// The readiness for display: that of the player, once the layer shows this player.
extension PlayerLayer {
    /// A Boolean value that indicates whether the first frame of the current item has been delivered to the sinks. It is
    /// false after the layer got another player until the frame that this one shows has been delivered. The property can
    /// be observed.
    public var isReadyForDisplay: Bool { tracked(\.isReadyForDisplay) { isReady } }

    var isReady: Bool {
        let (player, showsPlayer) = state.withLock { ($0.player, $0.showsPlayer) }
        return showsPlayer && player?.core.snapshot.isReadyForDisplay == true
    }

    /// Whether events of the player change the readiness for display, for a reader on this thread.
    var showsPlayer: Bool { state.withLock { $0.showsPlayer } }

    var latestSnapshot: ObservedSnapshot? {
        let (player, since) = state.withLock { ($0.player, $0.shownSince) }
        let latest = player?.core.latestSnapshot
        guard let latest, let since, latest.sequence < since else { return latest }
        // The newest event may precede the time from which on the layer shows the player.
        return latest.numbered(since)
    }

    /// Updates the dispatchers of both players, and notifies observers that the layer is not ready for display.
    func playerDidChange(from old: Player?, to new: Player?) {
        old?.core.dispatcher.remove(ObjectIdentifier(self))
        old?.core.reconsiderVariants()
        new?.core.dispatcher.add(self)
        new?.core.reconsiderVariants()
        guard let core = (new ?? old)?.core else { return }
        let latest = new?.core.latestSnapshot
        let observed = latest?.numbered() ?? ObservedSnapshot(sequence: ObservedSnapshot.nextSequence())
        let notification = ChangeNotification(event: nil, observed: observed)
        core.callbacks.enqueue { [weak self] in self?.observers.notify(notification) }
    }

    /// Makes the readiness of the player that of the layer, and notifies observers. Called on some lane when the sinks
    /// have received the frame that the player shows.
    func playerWasShown(_ core: PlayerCore, _ assignment: UInt64) {
        // On the lane that posts the events of the player, so that the order of both is that of their numbers.
        core.loop.perform { [weak self, weak core] _ in
            guard let self, let core else { return }
            let observed = core.latestSnapshot.numbered()
            guard state.withLock({ $0.show(assignment, since: observed.sequence) }) else { return }
            core.callbacks.enqueue { [weak self] in self?.notify(observed) }
        }
    }

    private func notify(_ observed: ObservedSnapshot) {
        observers.notify(ChangeNotification(event: nil, observed: observed))
        observed.withCurrent { if isReady { announce(\.isReadyForDisplay) } }
    }
}
