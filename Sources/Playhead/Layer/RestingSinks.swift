import MediaCore

/// The sinks of a layer without a player, should the layer go: they are finished then, behind what is still under way to them.
final class RestingSinks: Sendable {
    private struct State {
        var isWaiting = false
        var left: [any VideoSink]?
    }

    private let state = Locked(State())

    /// The layer has no player any more, and frames of the last one may still come.
    func wait() { state.withLock { $0.isWaiting = true } }

    /// None come any more.
    func begin() {
        let left = state.withLock { state in
            state.isWaiting = false
            defer { state.left = nil }
            return state.left
        }
        if let left { Self.finish(left) }
    }

    /// The layer goes.
    func end(_ sinks: [any VideoSink]) {
        let isFree = state.withLock { state in
            if state.isWaiting { state.left = sinks }
            return !state.isWaiting
        }
        if isFree { Self.finish(sinks) }
    }

    private static func finish(_ sinks: [any VideoSink]) {
        for sink in sinks { sink.finish() }
    }
}
