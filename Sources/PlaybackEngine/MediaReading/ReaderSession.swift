package import MediaCore

/// One run of a reader: the elements that it produces, and the means to stop it.
///
/// Releasing the session stops the reader. Every member may be called on any thread; one task may call `next()` at a
/// time.
package final class ReaderSession<Element: Sendable>: Sendable {
    private struct Stop {
        let body: @Sendable () -> Void
    }

    private let output: ReaderOutput<Element>
    /// Nil once it has been called.
    private let stop: Locked<Stop?>

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - output: The queue that the reader fills.
    ///   - stop: Stops the reader. Called once, on any thread, when the session is cancelled or released.
    package init(_ output: ReaderOutput<Element>, stop: @escaping @Sendable () -> Void) {
        self.output = output
        self.stop = Locked(Stop(body: stop))
    }

    deinit { callStop() }

    /// Returns the next element, or nil at the end. If the task is cancelled, the reader is stopped and the result is
    /// the error `.cancelled`.
    ///
    /// - Throws: The error that ended the data.
    package func next() async throws(MediaError) -> Element? {
        let result = await withTaskCancellationHandler {
            await output.next()
        } onCancel: {
            cancel()
        }
        if case .success(nil) = result { callStop() }
        if case .failure = result { callStop() }
        return try result.get()
    }

    /// Returns the next element like `next()`, and blocks the calling thread until there is one.
    ///
    /// - Throws: The error that ended the data.
    package func waitForNext() throws(MediaError) -> Element? {
        let result = output.waitForNext()
        if case .success(nil) = result { callStop() }
        if case .failure = result { callStop() }
        return try result.get()
    }

    /// Stops the reader. The next element is the error `.cancelled`.
    package func cancel() {
        output.cancel()
        callStop()
    }

    private func callStop() {
        let stop = stop.withLock { stop in
            defer { stop = nil }
            return stop
        }
        stop?.body()
    }
}
