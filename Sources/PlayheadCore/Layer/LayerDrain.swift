import MediaCore

/// The frames of a layer's former player that are still on their way to the layer's sinks. Any thread may use it.
final class LayerDrain: Sendable {
    private struct State {
        /// The sinks that the frames are on their way to.
        var sinks: [any VideoSink]
        var isComplete = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let state: Locked<State>

    /// Creates a drain.
    ///
    /// - Parameters:
    ///   - sinks: The sinks of the former player.
    ///   - earlier: The drain of the player before, whose sinks may still receive frames, too.
    init(_ sinks: [any VideoSink], after earlier: LayerDrain?) {
        let earlierSinks = earlier?.state.withLock { $0.sinks } ?? []
        state = Locked(State(sinks: earlierSinks + sinks))
    }

    /// Returns whether frames may be on their way to a sink.
    func concerns(_ sink: any VideoSink) -> Bool {
        state.withLock { state in state.sinks.contains { $0 === sink } }
    }

    /// Records that the last frame has reached the sinks.
    func complete() {
        // The sinks are released outside the lock.
        let (waiting, sinks) = state.withLock { state in
            state.isComplete = true
            defer { (state.waiting, state.sinks) = ([], []) }
            return (state.waiting, state.sinks)
        }
        withExtendedLifetime(sinks) {}
        for body in waiting { body() }
    }

    /// Calls `body` after the last frame, or at once if it has reached the sinks.
    func whenComplete(_ body: @escaping @Sendable () -> Void) {
        let isComplete = state.withLock { state in
            if !state.isComplete { state.waiting.append(body) }
            return state.isComplete
        }
        if isComplete { body() }
    }
}
