import MediaCore
import PlaybackEngine

/// The frames of a layer's former players that are still on their way to the layer's sinks. Any thread may use it.
final class LayerDrain: Sendable {
    private struct State {
        /// The outputs of the former players, which are retained because they report the sinks that fail, and those of
        /// the players since.
        var outputs: [LayerOutput]
        /// The drain of the player before, until it is complete.
        var earlier: LayerDrain?
        /// The sinks that the frames are on their way to.
        var sinks: [any VideoSink]
        var isComplete = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let state: Locked<State>

    /// Creates a drain.
    ///
    /// - Parameters:
    ///   - output: The output of the former player.
    ///   - earlier: The drain of the player before, whose sinks may still receive frames, too.
    init(_ output: LayerOutput, after earlier: LayerDrain?) {
        let (outputs, sinks) = earlier?.state.withLock { ($0.outputs, $0.sinks) } ?? ([], [])
        state = Locked(
            State(outputs: outputs + [output], earlier: earlier, sinks: sinks + output.sinks)
        )
    }

    /// Adds the output that gets the sinks next.
    func add(_ output: LayerOutput) {
        let earlier = state.withLock { state in
            if !state.isComplete { state.outputs.append(output) }
            return state.earlier
        }
        earlier?.add(output)
    }

    /// Returns whether frames may be on their way to a sink.
    func concerns(_ sink: any VideoSink) -> Bool {
        state.withLock { state in state.sinks.contains { $0 === sink } }
    }

    /// Omits the frames that are on their way to a sink, which was finished elsewhere.
    func discard(_ sink: any VideoSink) {
        for output in state.withLock({ $0.outputs }) { output.discard(sink) }
    }

    /// Records that the last frame has reached the sinks.
    func complete() {
        // The outputs and sinks are released outside the lock.
        let (waiting, released) = state.withLock { state in
            state.isComplete = true
            defer { (state.waiting, state.outputs, state.earlier, state.sinks) = ([], [], nil, []) }
            return (state.waiting, (state.outputs, state.earlier, state.sinks))
        }
        withExtendedLifetime(released) {}
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
