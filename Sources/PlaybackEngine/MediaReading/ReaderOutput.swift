import DequeModule
import Dispatch
package import MediaCore

/// The bounded queue between a lane that produces decoded media and the one reader.
///
/// The producer appends elements while `hasCapacity` is true, so a slow reader stops it. Every member may be called on
/// any thread.
package final class ReaderOutput<Element: Sendable>: Sendable {
    /// The closure that resumes the reader.
    private struct Waiter {
        let resume: @Sendable () -> Void
    }

    private struct Entry {
        let element: Element
        let byteCount: Int
    }

    private struct State {
        var entries: Deque<Entry> = []
        var byteCount = 0
        /// The result that follows the last element: the end of the data, or an error.
        var end: Result<Void, MediaError>?
        /// The reader, while it waits for an element.
        var waiter: Waiter?
        /// Whether the producer has found the queue full since the last element was removed.
        var isProducerBlocked = false

        mutating func takeWaiter() -> Waiter? {
            defer { waiter = nil }
            return waiter
        }
    }

    private let limits: QueueLimits
    private let state = Locked(State())
    /// Called after an element was removed from a queue that its producer had found full.
    let onCapacity = SettableCallback()

    /// Creates an empty queue.
    ///
    /// - Parameter limits: The limits of elements and bytes. One element is always accepted.
    package init(limits: QueueLimits) { self.limits = limits }

    /// Whether another element may be appended. If false, `onCapacity` is called when that has changed.
    var hasCapacity: Bool {
        state.withLock { state in
            let hasCapacity =
                state.entries.isEmpty
                || state.entries.count < limits.count && state.byteCount < limits.bytes
            state.isProducerBlocked = !hasCapacity
            return hasCapacity
        }
    }

    /// Appends an element, unless the queue has ended.
    func append(_ element: Element, byteCount: Int) {
        let waiter = state.withLock { state -> Waiter? in
            guard state.end == nil else { return nil }
            state.entries.append(Entry(element: element, byteCount: byteCount))
            state.byteCount += byteCount
            return state.takeWaiter()
        }
        waiter?.resume()
    }

    /// Ends the queue. The reader receives the elements that were appended before, and then the end or the error.
    package func finish(_ error: MediaError? = nil) {
        let waiter = state.withLock { state -> Waiter? in
            state.end = state.end ?? error.map { .failure($0) } ?? .success(())
            return state.takeWaiter()
        }
        waiter?.resume()
    }

    /// Ends the queue with the error `.cancelled`, and discards its elements.
    func cancel() {
        // Released outside the lock: freeing frames can be slow.
        let (waiter, dropped) = state.withLock { state in
            defer {
                state.entries = []
                state.byteCount = 0
            }
            state.end = .failure(MediaError(.cancelled, "reading was cancelled"))
            return (state.takeWaiter(), state.entries)
        }
        withExtendedLifetime(dropped) { waiter?.resume() }
    }

    /// Returns the next element, nil at the end of the data, or the error that ended it. One task or
    /// thread may call it at a time. After an error, the result is the end.
    func next() async -> Result<Element?, MediaError> {
        while true {
            if let result = removeNext() { return result }
            await withCheckedContinuation { continuation in wait { continuation.resume() } }
        }
    }

    /// Returns the next element like `next()`, and blocks the calling thread until there is one.
    func waitForNext() -> Result<Element?, MediaError> {
        while true {
            if let result = removeNext() { return result }
            let isReady = DispatchSemaphore(value: 0)
            wait { isReady.signal() }
            isReady.wait()
        }
    }

    /// Calls a closure once there is an element or the end.
    private func wait(_ resume: @escaping @Sendable () -> Void) {
        let isReady = state.withLock { state in
            guard state.entries.isEmpty, state.end == nil else { return true }
            state.waiter = Waiter(resume: resume)
            return false
        }
        if isReady { resume() }
    }

    /// Removes the next element, or returns the end once. Nil if there is neither yet.
    private func removeNext() -> Result<Element?, MediaError>? {
        let (result, wakesProducer) = state.withLock { state -> (Result<Element?, MediaError>?, Bool) in
            if let entry = state.entries.popFirst() {
                state.byteCount -= entry.byteCount
                defer { state.isProducerBlocked = false }
                return (.success(entry.element), state.isProducerBlocked)
            }
            guard let end = state.end else { return (nil, false) }
            state.end = .success(())
            return (end.map { nil as Element? }, false)
        }
        if wakesProducer { onCapacity() }
        return result
    }
}
