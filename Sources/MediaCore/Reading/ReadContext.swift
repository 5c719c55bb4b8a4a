internal import Dispatch

/// A change that a reader of bytes, or a demuxer, reports to its owner.
public enum ReadNotice: Hashable, Sendable {
    /// The current call waits for bytes. Reported from inside the call, on the reader's lane.
    case waiting
    /// A call that found no bytes can be repeated. Reported on any thread, and possibly more often than necessary.
    case ready
}

/// One reader of bytes: a demuxer, together with all sources that it reads from.
///
/// A source receives the reader's context with each read. The context reports to the source when the bytes are no
/// longer needed, and the source reports to the context when bytes have arrived. A context belongs to one reader, so
/// an interruption ends that reader's call and no other.
///
/// For authors of byte sources:
///
/// | Call | When | Thread |
/// |---|---|---|
/// | `wake()` | after bytes have arrived for a read that threw `.notReady` | any |
/// | `whileWaiting(onInterrupt:wait:)` | around code that blocks inside a read | the thread of the read |
/// | `isInterrupted` | while a read waits, and after it was woken; if true, the read throws `.cancelled` | any |
/// | `isCancelled` | to find out whether the reader is closed permanently | any |
/// | `onInterrupt(of:_:)` | before `.notReady` is thrown, to stop a request that is not needed any more | the thread of the read |
/// | `onClose(of:_:)` | once, to stop a download when the reader is closed | any |
///
/// For readers: each read belongs to an epoch. `begin(_:)` sets the epoch of the calls that follow.
/// `interrupt(before:)` ends the calls of all older epochs: the call that waits now, and any that is about to start.
/// It never affects a call of the new epoch, in whichever order the threads run. An interruption is therefore neither
/// lost nor applied to the wrong call.
///
/// All methods may be called on any thread, but `begin(_:)` and the reads themselves happen on the reader's lane
/// only.
public final class ReadContext: Sendable {
    /// A closure in a struct, because a bare closure in a generic container is wrapped again on each access.
    private struct Handler {
        let body: @Sendable (ReadNotice) -> Void
    }

    private struct CloseHandler {
        let body: @Sendable () -> Void
    }

    /// The closure to call when the calls of an epoch are interrupted.
    private struct InterruptHandler {
        let epoch: Epoch
        let body: @Sendable () -> Void
    }

    /// A call that waits for bytes.
    private struct Waiter {
        let number: UInt64
        let onInterrupt: @Sendable () -> Void
        let onWake: (@Sendable () -> Void)?
    }

    private struct State {
        /// The epoch of the calls that are made now.
        var epoch = Epoch()
        /// Calls of epochs before this one are interrupted.
        var oldestValidEpoch = Epoch()
        var isCancelled = false
        var hasWaited = false
        var wakeCount: UInt64 = 0
        var seekCount: UInt64 = 0
        var waiters: [Waiter] = []
        var waiterCount: UInt64 = 0
        var handler: Handler?
        /// The sources that this reader has read from and that do not use contexts.
        var blockingSources: [any ByteSource] = []
        /// The closures to call when this reader is closed, by owner.
        var closeHandlers: [ObjectIdentifier: CloseHandler] = [:]
        /// The closures to call when the call that registered them is interrupted, by owner.
        var interruptHandlers: [ObjectIdentifier: InterruptHandler] = [:]

        /// Removes and returns the closures of calls that are interrupted now.
        mutating func takeInterrupted() -> [InterruptHandler] {
            let ended = interruptHandlers.filter { isCancelled || $0.value.epoch < oldestValidEpoch }
            for key in ended.keys { interruptHandlers[key] = nil }
            return Array(ended.values)
        }

        var isInterrupted: Bool { isCancelled || epoch < oldestValidEpoch }
    }

    private let state = Locked(State())

    /// Creates a context at epoch 0, not interrupted, without a notice handler. Each demuxer needs a context of its
    /// own.
    public init() {}

    deinit {
        unregisterBlockingSources()
        for handler in state.withLock({ $0.interruptHandlers }).values { handler.body() }
        callCloseHandlers()
    }

    // MARK: For sources

    /// A Boolean value that indicates whether the bytes of the current call are no longer needed. If it is true, the
    /// call should throw `.cancelled` soon.
    public var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

    /// A Boolean value that indicates whether this reader is closed permanently.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Runs a closure that blocks until bytes have arrived. Call it only if none are available.
    ///
    /// - Parameters:
    ///   - onInterrupt: Called when the wait has to end: on the interrupting thread, or on this thread if the
    ///     interruption came first. It must not block. It wakes `wait`, which then finds `isInterrupted` true and
    ///     throws `.cancelled`. It may be called once more than necessary, shortly after `wait` has returned.
    ///   - wait: Blocks until bytes have arrived or `onInterrupt` is called.
    /// - Returns: The result of `wait`.
    /// - Throws: The error of `wait`.
    public func whileWaiting<Result, Failure: Error>(
        onInterrupt: @escaping @Sendable () -> Void,
        wait: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try whileWaiting(onInterrupt: onInterrupt, onWake: nil, wait: wait)
    }

    package func whileWaiting<Result, Failure: Error>(
        onInterrupt: @escaping @Sendable () -> Void,
        onWake: (@Sendable () -> Void)?,
        wait: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let (number, handler, isInterrupted) = state.withLock { state in
            state.hasWaited = true
            state.waiterCount += 1
            let waiter = Waiter(number: state.waiterCount, onInterrupt: onInterrupt, onWake: onWake)
            if !state.isInterrupted { state.waiters.append(waiter) }
            return (waiter.number, state.handler, state.isInterrupted)
        }
        defer { state.withLock { $0.waiters.removeAll { $0.number == number } } }
        if isInterrupted { onInterrupt() } else { handler?.body(.waiting) }
        return try wait()
    }

    /// Reports that bytes may be available for a read that threw `.notReady`.
    ///
    /// A wake-up counts from the moment at which that read was called, so it may precede the error. Additional calls
    /// have no effect other than another attempt to read. May be called on any thread.
    public func wake() {
        let (wakes, handler) = state.withLock { state in
            state.wakeCount &+= 1
            return (state.waiters.compactMap(\.onWake), state.handler)
        }
        for wake in wakes { wake() }
        handler?.body(.ready)
    }

    // MARK: For the reader

    /// Sets the epoch of the calls that follow.
    ///
    /// Called on the reader's lane, between calls. An epoch that has already been interrupted stays interrupted.
    ///
    /// - Parameter epoch: The new epoch.
    public func begin(_ epoch: Epoch) { state.withLock { $0.epoch = epoch } }

    /// Ends the call that waits now, and any call that is about to start, if its epoch precedes `epoch`.
    ///
    /// - Parameter epoch: The oldest epoch whose calls continue.
    public func interrupt(before epoch: Epoch) {
        end { $0.oldestValidEpoch = max($0.oldestValidEpoch, epoch) }
    }

    /// Closes this reader permanently: ends the call that waits now, and every later one. Other readers of the same
    /// sources continue.
    public func cancel() {
        end { $0.isCancelled = true }
        unregisterBlockingSources()
        callCloseHandlers()
    }

    /// Sets the closure that receives this reader's notices.
    ///
    /// - Parameter handler: Called on the reader's lane (`.waiting`) or on a source's thread (`.ready`). It must not
    ///   block or read. It replaces the previous handler; nil removes it.
    public func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) {
        state.withLock { $0.handler = handler.map(Handler.init) }
    }

    /// A Boolean value that indicates whether this reader's notices are received.
    package var hasNoticeHandler: Bool { state.withLock { $0.handler != nil } }

    /// A Boolean value that indicates whether this reader has had to wait for bytes at least once.
    package var hasWaited: Bool { state.withLock { $0.hasWaited } }

    /// The number of times that a source has called `wake()`.
    package var wakeCount: UInt64 { state.withLock { $0.wakeCount } }

    /// The number of times that the reader has moved to another offset and abandoned the previous one.
    package var seekCount: UInt64 { state.withLock { $0.seekCount } }

    /// Records that the reader moves to another offset and does not return to the previous one.
    package func noteSeek() { state.withLock { $0.seekCount &+= 1 } }

    /// Registers a closure that is called once, when this reader is closed: it was cancelled, or its last reference
    /// was released.
    ///
    /// A byte source uses it to cancel a download that no other reader needs. If the reader is already closed, the
    /// closure is called immediately, on the calling thread; otherwise it is called on the thread that closes the
    /// reader. It must not block.
    ///
    /// - Parameters:
    ///   - owner: The object that the closure belongs to, usually the byte source. A second call with the same owner
    ///     replaces the first closure. The context does not retain the owner.
    ///   - body: The closure to call.
    public func onClose(of owner: AnyObject, _ body: @escaping @Sendable () -> Void) {
        let key = ObjectIdentifier(owner)
        let isClosed = state.withLock { state in
            if !state.isCancelled { state.closeHandlers[key] = CloseHandler(body: body) }
            return state.isCancelled
        }
        if isClosed { body() }
    }

    /// Registers a closure that is called once, when the bytes of the current call are no longer needed: a seek or
    /// another item interrupts the call, or the reader is closed.
    ///
    /// A byte source calls it inside a read, before it throws `.notReady`, and uses it to cancel the request for the
    /// missing bytes at once; the next read may be at another offset. If the call has been interrupted already, the
    /// closure is called immediately, on the calling thread; otherwise it is called on the thread that interrupts. It
    /// must not block. The closure stays registered until it is called or removed, so a source removes it when the bytes
    /// have arrived.
    ///
    /// - Parameters:
    ///   - owner: The object that the closure belongs to, usually the byte source. A second call with the same owner
    ///     replaces the first closure. The context does not retain the owner.
    ///   - body: The closure to call.
    public func onInterrupt(of owner: AnyObject, _ body: @escaping @Sendable () -> Void) {
        let isInterrupted = state.withLock { state in
            guard !state.isInterrupted else { return true }
            state.interruptHandlers[ObjectIdentifier(owner)] =
                InterruptHandler(epoch: state.epoch, body: body)
            return false
        }
        if isInterrupted { body() }
    }

    /// Removes the closure that was registered by `onInterrupt(of:_:)`.
    ///
    /// - Parameter owner: The object that the closure was registered for.
    public func removeInterruptHandler(of owner: AnyObject) {
        state.withLock { $0.interruptHandlers[ObjectIdentifier(owner)] = nil }
    }

    /// Removes the closure that was registered by `onClose(of:_:)`.
    ///
    /// - Parameter owner: The object that the closure was registered for.
    public func removeCloseHandler(of owner: AnyObject) {
        state.withLock { $0.closeHandlers[ObjectIdentifier(owner)] = nil }
    }

    /// Waits until a source has called `wake()` more than `wakes` times.
    ///
    /// A call that runs on a `Fiber` is suspended meanwhile and occupies no thread. Any other call blocks its thread.
    ///
    /// - Parameter wakes: The value of `wakeCount` before the read that found no bytes.
    /// - Returns: False if the call must end: the reader was interrupted, or the suspended call was abandoned.
    @discardableResult
    package func wait(after wakes: UInt64) -> Bool {
        if let fiber = Fiber.current {
            // The call may be resumed without a wake-up. The source is not asked again then.
            while !fiber.isAbandoned, !isInterrupted, wakeCount == wakes { fiber.suspend() }
            return !fiber.isAbandoned && !isInterrupted
        }
        let semaphore = DispatchSemaphore(value: 0)
        whileWaiting(
            onInterrupt: { semaphore.signal() },
            onWake: { semaphore.signal() },
            wait: { while wakeCount == wakes, !isInterrupted { semaphore.wait() } }
        )
        return !isInterrupted
    }

    /// Calls `body` until it returns a value other than nil, and waits between the calls.
    ///
    /// `body` may run on several threads in turn, so a caller must not hold a lock.
    ///
    /// - Parameter body: Returns nil if no bytes are available.
    /// - Returns: The value.
    /// - Throws: The error of `body`; `.cancelled` if the call must end.
    package func retryUntilReady<Result>(_ body: () throws(MediaError) -> Result?) throws(MediaError)
        -> Result
    {
        while true {
            // A wake-up after this line ends the wait.
            let wakes = wakeCount
            if let result = try body() { return result }
            guard wait(after: wakes) else { throw MediaError(.cancelled, "reading was interrupted") }
        }
    }

    private func callCloseHandlers() {
        let closeHandlers = state.withLock { state in
            defer { state.closeHandlers = [:] }
            return state.closeHandlers
        }
        for handler in closeHandlers.values { handler.body() }
    }

    private func end(_ change: (inout State) -> Void) {
        let (interrupted, handlers) = state.withLock { state -> ([Waiter], [InterruptHandler]) in
            change(&state)
            let handlers = state.takeInterrupted()
            guard state.isInterrupted else { return ([], handlers) }
            defer { state.waiters = [] }
            return (state.waiters, handlers)
        }
        for waiter in interrupted { waiter.onInterrupt() }
        for handler in handlers { handler.body() }
    }

    // MARK: Sources without contexts

    /// Counts this reader among the source's readers. Returns false if this reader is closed.
    func register(_ source: any ByteSource) -> Bool {
        state.withLock { state in
            guard !state.isCancelled else { return false }
            guard !state.blockingSources.contains(where: { $0 === source }) else { return true }
            state.blockingSources.append(source)
            BlockingReads.register(source, ObjectIdentifier(self))
            return true
        }
    }

    private func unregisterBlockingSources() {
        let sources = state.withLock { state in
            defer { state.blockingSources = [] }
            return state.blockingSources
        }
        for source in sources { BlockingReads.unregister(source, ObjectIdentifier(self)) }
    }
}
