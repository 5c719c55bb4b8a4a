internal import Dispatch

/// What a reader of bytes, and what a demuxer, tells whoever waits for it.
public enum ReadNotice: Hashable, Sendable {
    /// The call that is under way waits for bytes. Comes from inside the call.
    case waiting
    /// A call that ended with `.notReady` is worth trying again. Comes from any thread, and may come too often.
    case ready
}

/// Stands for one reader of bytes: a demuxer, with all the sources that it reads from.
///
/// A source gets it with each read. It says when nobody wants the bytes any more, and takes the source's word
/// when bytes have come. It belongs to one reader, so what is interrupted is that reader's call and no other.
///
/// Reads belong to epochs. `begin(_:)` says which epoch the calls that follow belong to. `interrupt(before:)`
/// ends the calls of all older epochs: the one that waits now, and any that is about to begin. It never
/// touches a call of the new epoch, whichever thread comes first. So an interruption is neither lost nor does
/// it hit the wrong call.
///
/// All methods may be called from any thread, but `begin(_:)` and reads come from the reader's one lane.
public final class ReadContext: Sendable {
    /// A closure in a struct: a bare one in a generic container is wrapped anew at each access.
    private struct Handler {
        let body: @Sendable (ReadNotice) -> Void
    }

    private struct CloseHandler {
        let body: @Sendable () -> Void
    }

    /// A call that waits for bytes.
    private struct Waiter {
        let number: UInt64
        let onInterrupt: @Sendable () -> Void
        let onWake: (@Sendable () -> Void)?
    }

    private struct State {
        /// Of the calls that are made now.
        var epoch = Epoch()
        /// Calls of older epochs are interrupted.
        var oldestValidEpoch = Epoch()
        var isCancelled = false
        var hasWaited = false
        var wakeCount: UInt64 = 0
        var seekCount: UInt64 = 0
        var waiters: [Waiter] = []
        var waiterCount: UInt64 = 0
        var handler: Handler?
        /// Sources that this reader has read from and that know no contexts.
        var blockingSources: [any ByteSource] = []
        /// What to call when this reader has gone, by who wants to know.
        var closeHandlers: [ObjectIdentifier: CloseHandler] = [:]

        var isInterrupted: Bool { isCancelled || epoch < oldestValidEpoch }
    }

    private let state = Locked(State())

    /// Of epoch 0, with nothing interrupted and nobody told. Who makes a demuxer of their own makes one of
    /// these for it.
    public init() {}

    deinit {
        unregisterBlockingSources()
        callCloseHandlers()
    }

    // MARK: For sources

    /// True when the bytes of the present call are not wanted any more: the call should throw `.cancelled` soon.
    public var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

    /// True when this reader has gone for good.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Runs `wait`, which waits until bytes have come. Call it only where none are at hand.
    ///
    /// `onInterrupt` is called when the wait is to end: on the interrupting thread, or on this one where the
    /// interruption came before. It must not block; it wakes `wait`, which then sees `isInterrupted` and throws
    /// `.cancelled`. It may come once more than needed, shortly after `wait` has returned.
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

    /// Bytes may be at hand now where a read threw `.notReady`. It counts from the moment that the read was
    /// called, so it may come before the error is thrown. Too often is no error.
    public func wake() {
        let (wakes, handler) = state.withLock { state in
            state.wakeCount &+= 1
            return (state.waiters.compactMap(\.onWake), state.handler)
        }
        for wake in wakes { wake() }
        handler?.body(.ready)
    }

    // MARK: For the reader

    /// The calls that follow belong to `epoch`. Called on the reader's lane, between calls. An epoch that has
    /// been interrupted already stays so.
    public func begin(_ epoch: Epoch) { state.withLock { $0.epoch = epoch } }

    /// Ends what waits now, and what is about to begin, of epochs before `epoch`.
    public func interrupt(before epoch: Epoch) {
        end { $0.oldestValidEpoch = max($0.oldestValidEpoch, epoch) }
    }

    /// Ends what waits now, and every later call, for good. Other readers of the same sources go on.
    public func cancel() {
        end { $0.isCancelled = true }
        unregisterBlockingSources()
        callCloseHandlers()
    }

    /// Who hears of waits and wakes: one handler, replaced by the next; nil takes it off. It is called on the
    /// reader's lane (`.waiting`) or on a source's thread (`.ready`), and must not block or read.
    public func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) {
        state.withLock { $0.handler = handler.map(Handler.init) }
    }

    /// This reader has had to wait for bytes at least once.
    package var hasWaited: Bool { state.withLock { $0.hasWaited } }

    /// How often a source has called `wake()`.
    package var wakeCount: UInt64 { state.withLock { $0.wakeCount } }

    /// How often the reader has gone to another place for good.
    package var seekCount: UInt64 { state.withLock { $0.seekCount } }

    /// The reader goes to another place: it will not come back to where it has read so far.
    package func noteSeek() { state.withLock { $0.seekCount &+= 1 } }

    /// Calls `body` once when this reader has gone: it was cancelled, or nobody holds it any more. At once where that has
    /// been. `key` stands for who wants to know; a second one takes the place of the first.
    public func onClose(of owner: AnyObject, _ body: @escaping @Sendable () -> Void) {
        let key = ObjectIdentifier(owner)
        let isClosed = state.withLock { state in
            if !state.isCancelled { state.closeHandlers[key] = CloseHandler(body: body) }
            return state.isCancelled
        }
        if isClosed { body() }
    }

    /// Who wanted to know by that key does so no more.
    public func removeCloseHandler(of owner: AnyObject) {
        state.withLock { $0.closeHandlers[ObjectIdentifier(owner)] = nil }
    }

    /// Waits until a source has called `wake()` more than `wakes` times, or the reader is interrupted.
    package func wait(after wakes: UInt64) {
        let semaphore = DispatchSemaphore(value: 0)
        whileWaiting(
            onInterrupt: { semaphore.signal() },
            onWake: { semaphore.signal() },
            wait: { while wakeCount == wakes, !isInterrupted { semaphore.wait() } }
        )
    }

    /// Calls `body` until it throws no `.notReady` any more, and waits on this thread in between. Throws `.cancelled` where the
    /// reader is interrupted meanwhile.
    package func retryUntilReady<Result>(_ body: () throws(MediaError) -> Result) throws(MediaError) -> Result
    {
        while true {
            // A wake-up counts from here on.
            let wakes = wakeCount
            do throws(MediaError) {
                return try body()
            } catch {
                guard error.code == .notReady else { throw error }
            }
            wait(after: wakes)
            if isInterrupted { throw MediaError(.cancelled, "reading was interrupted") }
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
        let interrupted = state.withLock { state -> [Waiter] in
            change(&state)
            guard state.isInterrupted else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in interrupted { waiter.onInterrupt() }
    }

    // MARK: Sources that know no contexts

    /// Counts this reader among the source's. False: the reader has gone.
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
