import MediaCore
import Testing

// Rule: interrupted-reads
@Suite("Interruption of reads")
struct ReadContextTests {
    @Test("An interruption ends calls of older epochs, and no call of the new one")
    func epochs() {
        let context = ReadContext()
        context.begin(Epoch(1))
        #expect(!context.isInterrupted)
        context.interrupt(before: Epoch(1))
        #expect(!context.isInterrupted)
        context.interrupt(before: Epoch(2))
        #expect(context.isInterrupted)
        context.begin(Epoch(2))
        #expect(!context.isInterrupted)
        // An interruption of an epoch that is already over has no effect.
        context.interrupt(before: Epoch(1))
        #expect(!context.isInterrupted)
        context.interrupt(before: Epoch(4))
        context.begin(Epoch(3))
        #expect(context.isInterrupted)
        context.cancel()
        context.begin(Epoch(9))
        #expect(context.isInterrupted && context.isCancelled)
    }

    @Test("A wait is interrupted by an earlier or a concurrent interruption, and by no other")
    func waits() {
        let context = ReadContext()
        let count = Locked(0)
        context.whileWaiting(
            onInterrupt: { count.withLock { $0 += 1 } },
            wait: {
                context.interrupt(before: Epoch(1))
                #expect(count.withLock { $0 } == 1)
            }
        )
        context.whileWaiting(
            onInterrupt: { count.withLock { $0 += 1 } },
            wait: {
                #expect(count.withLock { $0 } == 2)
            }
        )
        context.begin(Epoch(1))
        context.whileWaiting(onInterrupt: { count.withLock { $0 += 1 } }, wait: {})
        context.interrupt(before: Epoch(2))
        #expect(count.withLock { $0 } == 2)
    }

    @Test("A notice handler receives waits and wake-ups until it is removed")
    func notices() {
        let context = ReadContext()
        let notices = Locked<[ReadNotice]>([])
        context.setNoticeHandler { notice in notices.withLock { $0.append(notice) } }
        context.whileWaiting(onInterrupt: {}, wait: {})
        context.wake()
        context.setNoticeHandler(nil)
        context.wake()
        #expect(notices.withLock { $0 } == [.waiting, .ready])
    }

    @Test("A read without bytes is nil, and any other error is thrown")
    func readIfAvailable() {
        let context = ReadContext()
        withUnsafeTemporaryAllocation(byteCount: 4, alignment: 1) { buffer in
            for code in [MediaError.Code.notReady, .cancelled, .io] {
                let source = FailingSource(code)
                let found = Result { () throws(MediaError) in
                    try source.readIfAvailable(at: 0, into: buffer, context: context)
                }
                switch found {
                case .success(let count): #expect(code == .notReady && count == nil)
                case .failure(let error): #expect(code != .notReady && error.code == code)
                }
            }
        }
    }

    @Test("A retried call ends with its value, its error, or an interruption")
    func retries() throws {
        let context = ReadContext()
        var calls = 0
        let value = try context.retryUntilReady { () throws(MediaError) -> Int? in
            calls += 1
            // The wake-up precedes the wait, and is not lost.
            if calls < 3 { context.wake() }
            return calls < 3 ? nil : calls
        }
        #expect(value == 3)
        let failure = #expect(throws: MediaError.self) {
            try context.retryUntilReady { () throws(MediaError) -> Int? in throw MediaError(.io, "no") }
        }
        #expect(failure?.code == .io)
        let interruption = #expect(throws: MediaError.self) {
            try context.retryUntilReady { () throws(MediaError) -> Int? in
                context.cancel()
                return nil
            }
        }
        #expect(interruption?.code == .cancelled)
    }

    @Test(
        "A close handler is called once: on cancelling, on releasing the reader, or at once if it is closed"
    )
    func closeHandlers() {
        let owners = [Recorder(), Recorder(), Recorder()]
        let context = ReadContext()
        for owner in owners { context.onClose(of: owner) { owner.record() } }
        context.onClose(of: owners[1]) { owners[1].record() }
        context.removeCloseHandler(of: owners[2])
        context.cancel()
        context.cancel()
        #expect(owners.map(\.count) == [1, 1, 0])
        context.onClose(of: owners[2]) { owners[2].record() }
        #expect(owners[2].count == 1)
        var released: ReadContext? = ReadContext()
        released?.onClose(of: owners[0]) { owners[0].record() }
        #expect(owners[0].count == 1)
        released = nil
        #expect(owners[0].count == 2)
    }

    @Test(
        "An interrupt handler is called once: for its epoch, in either order of begin and interrupt, or at once"
    )
    func interruptHandlers() {
        let owner = Recorder()
        let context = ReadContext()
        context.begin(Epoch(1))
        context.onInterrupt(of: owner) { owner.record() }
        context.interrupt(before: Epoch(1))
        #expect(owner.count == 0)
        context.interrupt(before: Epoch(2))
        context.interrupt(before: Epoch(3))
        #expect(owner.count == 1)
        // The epoch of the call is over.
        context.onInterrupt(of: owner) { owner.record() }
        #expect(owner.count == 2)
        // The next epoch begins before the interruption of the previous one arrives.
        context.begin(Epoch(3))
        context.onInterrupt(of: owner) { owner.record() }
        context.begin(Epoch(4))
        context.interrupt(before: Epoch(4))
        #expect(owner.count == 3)
        // A closure that was removed or replaced is not called.
        context.onInterrupt(of: owner) { owner.record() }
        context.removeInterruptHandler(of: owner)
        context.interrupt(before: Epoch(5))
        context.begin(Epoch(5))
        #expect(owner.count == 3)
        context.onInterrupt(of: owner) { Issue.record("replaced") }
        context.onInterrupt(of: owner) { owner.record() }
        context.cancel()
        #expect(owner.count == 4)
        context.onInterrupt(of: owner) { owner.record() }
        #expect(owner.count == 5)
        var released: ReadContext? = ReadContext()
        released?.onInterrupt(of: owner) { owner.record() }
        released = nil
        #expect(owner.count == 6)
    }

    /// A counter of calls.
    private final class Recorder: Sendable {
        private let calls = Locked(0)
        var count: Int { calls.withLock { $0 } }
        func record() { calls.withLock { $0 += 1 } }
    }

    /// A source that does not use contexts.
    private final class BlockingSource: ByteSource {
        let cancels = Locked(0)
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void = {}) { self.body = body }
        var byteCount: Int64? { 8 }
        var isSeekable: Bool { true }
        func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
            body()
            return min(buffer.count, 8)
        }
        func cancel() { cancels.withLock { $0 += 1 } }
    }

    private func read(_ source: any ByteSource, _ context: ReadContext) throws -> Int {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 1)
        defer { buffer.deallocate() }
        return try source.read(at: 0, into: buffer, context: context)
    }

    @Test("A source without contexts is read directly, and closing one reader does not affect another")
    func sourceWithoutContext() throws {
        let source = BlockingSource()
        let (first, second) = (ReadContext(), ReadContext())
        #expect(try read(source, first) == 4)
        #expect(try read(source, second) == 4)
        first.cancel()
        #expect(source.cancels.withLock { $0 } == 0)
        #expect(throws: MediaError.self) { try read(source, first) }
        #expect(try read(source, second) == 4)
        second.cancel()
        // No read blocks, so there is nothing to end.
        #expect(source.cancels.withLock { $0 } == 0)
    }

    @Test(
        "A source without contexts is cancelled when its last reader closes during a blocking read"
    )
    func blockingSourceIsCancelled() throws {
        let context = ReadContext()
        let source = BlockingSource { context.cancel() }
        _ = try? read(source, context)
        #expect(source.cancels.withLock { $0 } == 1)
    }
}

/// A source whose reads throw an error.
private final class FailingSource: ByteSource {
    private let code: MediaError.Code
    let byteCount: Int64? = nil
    let isSeekable = true

    init(_ code: MediaError.Code) { self.code = code }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        throw MediaError(.invalidArgument, "without a context")
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, context: ReadContext)
        throws(MediaError) -> Int
    {
        throw MediaError(code, "no bytes")
    }

    func cancel() {}
}
