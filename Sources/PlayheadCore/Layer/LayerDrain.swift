import MediaCore

/// The frames of a layer's former player that are still on their way to the layer's sinks. Any thread may use it.
final class LayerDrain: Sendable {
    private struct State {
        var isComplete = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Locked(State())

    /// Records that the last frame has reached the sinks.
    func complete() {
        let waiting = state.withLock { state in
            state.isComplete = true
            defer { state.waiting = [] }
            return state.waiting
        }
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
