import MediaCore
import PlaybackEngine
import PlayheadBackend

/// The end of a player.
extension PlayerCore {
    /// At once: what has not been told yet is not told any more.
    func release() {
        // A player that is shut down already goes when all is told.
        guard !setting(\.isEnding) else { return }
        closeAll()
        loop.release()
        watchers.finish()
    }

    /// Nothing more is shown or heard; what was set until now is told, and then all is taken down. `sinks` is called, on
    /// some lane, when the sinks have been finished; `told`, on the callback queue, when all has been told too.
    func shutDown(sinks: (@Sendable () -> Void)?, told: (@Sendable () -> Void)?) {
        let both = told.map { CompletionGroup(2, $0) }
        state.withLock { $0.isEnding = true }
        loop.end { [self] in
            loop.release {
                sinks?()
                both?.tick()
            }
            closeAll()
            callbacks.enqueue { [watchers] in
                watchers.finish()
                both?.tick()
            }
        }
    }

    private func closeAll() {
        let current = item
        let place = current.flatMap { self.place(of: $0) }
        let (items, seeks) = state.withLock { state in
            defer {
                state.item = nil
                state.queue = []
                state.seeks = [:]
                state.posted = nil
                state.isReleased = true
            }
            return ([state.item].compactMap(\.self) + state.queue.map(\.item), state.seeks)
        }
        hunger.end()
        clearVideoOutput()
        for item in items {
            item.state.withLock { state in
                state.attachment = nil
                if item === current { state.keepPosition(place) }
            }
        }
        items.first?.endLog(loop.snapshot.counters, at: driver.clock.now)
        for id in seeks.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            if let completion = seeks[id]?.completion { callbacks.enqueue { completion(false) } }
        }
    }
}
