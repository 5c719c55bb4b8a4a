/// Delivers elements to all streams. A reader that falls behind gets the newest elements. The streams end when the
/// object is released. It may be used from any thread.
final class Fanout<Element: Sendable>: Sendable {
    private struct State {
        var streams: [UInt64: AsyncStream<Element>.Continuation] = [:]
        var ids: UInt64 = 0
    }

    private let state = Locked(State())
    /// The number of elements that a reader may fall behind before the oldest are omitted.
    private let depth: Int

    init(depth: Int) { self.depth = depth }

    deinit {
        for stream in state.withLock({ $0.streams.values }) { stream.finish() }
    }

    /// Returns a stream of the elements from now on.
    func makeStream() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self,
            bufferingPolicy: .bufferingNewest(depth)
        )
        let id = state.withLock { state in
            state.ids += 1
            state.streams[state.ids] = continuation
            return state.ids
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.streams.removeValue(forKey: id) }
        }
        return stream
    }

    func yield(_ element: Element) {
        for stream in state.withLock({ $0.streams.values }) { stream.yield(element) }
    }
}
