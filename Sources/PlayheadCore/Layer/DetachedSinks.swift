import MediaCore

/// Finishes the sinks of a layer without a player when the layer is released, after the frames of its last player that
/// are still in flight.
final class DetachedSinks: Sendable {
    private struct State {
        var isDetaching = false
        var pending: [any VideoSink]?
    }

    private let state = Locked(State())

    /// Records that the layer has no player any more, and that frames of the last player may still arrive.
    func willDetach() { state.withLock { $0.isDetaching = true } }

    /// Records that no more frames will arrive.
    func didDetach() {
        let pending = state.withLock { state in
            state.isDetaching = false
            defer { state.pending = nil }
            return state.pending
        }
        if let pending { Self.finishAll(pending) }
    }

    /// Finishes the sinks of a released layer, at once or after the last frame.
    func finish(_ sinks: [any VideoSink]) {
        let isDetached = state.withLock { state in
            if state.isDetaching { state.pending = sinks }
            return !state.isDetaching
        }
        if isDetached { Self.finishAll(sinks) }
    }

    private static func finishAll(_ sinks: [any VideoSink]) {
        for sink in sinks { sink.finish() }
    }
}
