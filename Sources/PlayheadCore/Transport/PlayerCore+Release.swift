import MediaCore
import PlaybackEngine
import PlayheadBackend

/// Releasing and shutting down a player.
extension PlayerCore {
    /// Releases the player at once. Events that have not been delivered are discarded.
    func release() {
        // After a shutdown, the dispatcher finishes once everything has been delivered.
        guard !setting(\.isEnding) else { return }
        closeAll()
        loop.release()
        dispatcher.finish()
    }

    /// Shuts the player down: stops delivery to sinks, delivers the pending events, and then releases everything.
    ///
    /// - Parameters:
    ///   - sinksFinished: Called on an arbitrary lane when the sinks have been finished.
    ///   - delivered: Called on the callback queue when the sinks have been finished and all events have been
    ///     delivered.
    func shutDown(sinksFinished: (@Sendable () -> Void)?, delivered: (@Sendable () -> Void)?) {
        let both = delivered.map { CompletionGroup(2, $0) }
        state.withLock { $0.isEnding = true }
        loop.end { [self] in
            loop.release {
                sinksFinished?()
                both?.leave()
            }
            closeAll()
            callbacks.enqueue { [dispatcher] in
                dispatcher.finish()
                both?.leave()
            }
        }
    }

    private func closeAll() {
        let current = item
        let position = current.flatMap { self.resumePosition(of: $0) }
        let (items, seeks) = state.withLock { state in
            defer {
                state.item = nil
                state.primary = nil
                state.pendingInterstitial = nil
                state.queue = []
                state.seeks = [:]
                state.posted = nil
                state.isReleased = true
            }
            let others = [state.primary, state.pendingInterstitial].compactMap(\.self) + state.queue
            return ([state.item].compactMap(\.self) + others.map(\.item), state.seeks)
        }
        loadClaim.end()
        endAllWaits()
        clearVideoOutput()
        for item in items {
            item.state.withLock { state in
                // Another player may have got it meanwhile.
                guard state.attachment?.core === self else { return }
                state.attachment = nil
                if item === current { state.keepPosition(position) }
            }
        }
        let counters = loop.snapshot.counters
        for item in items { item.endLog(counters, at: driver.clock.now, in: self) }
        for id in seeks.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            if let completion = seeks[id]?.completion { callbacks.enqueue { completion(false) } }
        }
    }
}
