import MediaCore

/// Delivers elements to all streams, each of which has a buffer. It may be used from any thread.
///
/// A reader that falls behind gets the newest elements, preceded by an element that reports how many were omitted. The
/// streams end when the object is released.
final class Fanout<Element: Sendable>: Sendable {
    private struct State {
        var buffers: [WeakReference<FanoutBuffer<Element>>] = []
        var lostCount = 0
    }

    private let state = Locked(State())
    /// The number of elements that a reader may fall behind before the oldest are omitted.
    private let depth: Int
    private let makeReport: @Sendable (Int) -> Element?

    /// Creates an object without streams.
    ///
    /// - Parameters:
    ///   - depth: The number of elements that a reader may fall behind.
    ///   - makeReport: Returns the element that reports a number of omitted ones, or nil if there is no such element.
    init(depth: Int = .max, makeReport: @escaping @Sendable (Int) -> Element? = { _ in nil }) {
        self.depth = depth
        self.makeReport = makeReport
    }

    deinit { finishStreams() }

    /// The number of elements that were omitted for all readers.
    var lostCount: Int { state.withLock { $0.lostCount } }

    /// Returns a stream of the elements from now on.
    func makeStream() -> AsyncStream<Element> {
        let buffer = FanoutBuffer<Element>(depth: depth, makeReport: makeReport)
        state.withLock { state in
            state.buffers.removeAll { $0.object == nil }
            state.buffers.append(WeakReference(buffer))
        }
        return AsyncStream {
            await buffer.next()
        } onCancel: {
            buffer.finish()
        }
    }

    func yield(_ element: Element) {
        var lost = 0
        for buffer in state.withLock({ $0.buffers }) {
            if buffer.object?.append(element) == false { lost += 1 }
        }
        if lost > 0 { state.withLock { $0.lostCount += lost } }
    }

    /// Ends the present streams after the elements that they still have. Later streams are not affected.
    func finishStreams() {
        let buffers = state.withLock { state in
            defer { state.buffers = [] }
            return state.buffers
        }
        for buffer in buffers { buffer.object?.finish() }
    }
}

/// The elements that one reader has not read yet. It may be used from any thread.
private final class FanoutBuffer<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        /// The number of omitted elements that has not been reported yet.
        var lost = 0
        var readers: [CheckedContinuation<Element?, Never>] = []
        var isFinished = false
    }

    private let state = Locked(State())
    private let depth: Int
    private let makeReport: @Sendable (Int) -> Element?

    init(depth: Int, makeReport: @escaping @Sendable (Int) -> Element?) {
        self.depth = depth
        self.makeReport = makeReport
    }

    /// Appends an element. Returns false if another one was omitted for it.
    func append(_ element: Element) -> Bool {
        let (reader, isComplete) = state.withLock { state -> (CheckedContinuation<Element?, Never>?, Bool) in
            if state.isFinished { return (nil, true) }
            if !state.readers.isEmpty { return (state.readers.removeFirst(), true) }
            state.elements.append(element)
            guard state.elements.count > depth else { return (nil, true) }
            state.elements.removeFirst()
            state.lost += 1
            return (nil, false)
        }
        reader?.resume(returning: element)
        return isComplete
    }

    /// Ends the stream after the elements that are left.
    func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            defer { state.readers = [] }
            return state.readers
        }
        for reader in readers { reader.resume(returning: nil) }
    }

    /// Returns the next element, or nil at the end.
    func next() async -> Element? {
        await withCheckedContinuation { reader in
            let known = state.withLock { state -> Element?? in
                if state.lost > 0 {
                    let report = makeReport(state.lost)
                    state.lost = 0
                    if let report { return report }
                }
                if !state.elements.isEmpty { return state.elements.removeFirst() }
                if state.isFinished { return .some(nil) }
                state.readers.append(reader)
                return nil
            }
            if let known { reader.resume(returning: known) }
        }
    }
}
