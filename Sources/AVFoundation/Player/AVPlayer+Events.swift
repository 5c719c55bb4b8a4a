import MediaCore
package import Playhead

extension AVPlayer: _KeyValueCodingAndObserving, Observed {
    nonisolated func observeValue<Value: Equatable & Sendable>(
        reading read: @escaping @Sendable () -> Value?,
        changeHandler: @escaping @Sendable (_ old: Value, _ new: Value) -> Void
    ) -> ValueObservation<Value> { player.observeValue(reading: read, changeHandler: changeHandler) }
}

extension AVPlayer: EventPoster {
    nonisolated package func post(_ event: TimedPlayerEvent) {
        switch event.event {
        case .interruptionBegan:
            AVAudioSession.sharedInstance().beginInterruption(of: ObjectIdentifier(self))
        case .rateChanged(_, _, .audioSessionInterrupted):
            AVAudioSession.sharedInstance().interruptionDidPausePlayer()
        case .interruptionEnded(let shouldResume):
            AVAudioSession.sharedInstance()
                .endInterruption(of: ObjectIdentifier(self), shouldResume: shouldResume)
        default: break
        }
        AVNotificationPoster.post(event.event, of: self)
        if case .currentItemChanged(let item) = event.event { releaseItems(deliveredCurrent: item) }
    }
}

extension AVPlayer {
    /// Retains the token of an observer of time until the observer is removed.
    nonisolated func keep(_ token: ObservationToken) -> Any {
        timeObservers.withLock { $0[ObjectIdentifier(token)] = token }
        return token
    }
}
