import MediaCore
import Testing

// Rule: interrupted-reads
@Suite("Reads that can be interrupted")
struct ReadContextTests {
    @Test("An interruption ends calls of older epochs, and none of the new one")
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
        // One that comes late, for what is over already.
        context.interrupt(before: Epoch(1))
        #expect(!context.isInterrupted)
        context.interrupt(before: Epoch(4))
        context.begin(Epoch(3))
        #expect(context.isInterrupted)
        context.cancel()
        context.begin(Epoch(9))
        #expect(context.isInterrupted && context.isCancelled)
    }

    @Test("A wait hears of the interruption that comes meanwhile, or came before; then of none")
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

    @Test("A notice handler hears of waits and wakes, until it is taken off")
    func notices() {
        let context = ReadContext()
        let heard = Locked<[ReadNotice]>([])
        context.setNoticeHandler { notice in heard.withLock { $0.append(notice) } }
        context.whileWaiting(onInterrupt: {}, wait: {})
        context.wake()
        context.setNoticeHandler(nil)
        context.wake()
        #expect(heard.withLock { $0 } == [.waiting, .ready])
    }

    /// A source from before contexts.
    private final class OldSource: ByteSource {
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

    @Test("A source that knows no contexts is read as before; no reader's end ends another's")
    func oldSource() throws {
        let source = OldSource()
        let (first, second) = (ReadContext(), ReadContext())
        #expect(try read(source, first) == 4)
        #expect(try read(source, second) == 4)
        first.cancel()
        #expect(source.cancels.withLock { $0 } == 0)
        #expect(throws: MediaError.self) { try read(source, first) }
        #expect(try read(source, second) == 4)
        second.cancel()
        // Nothing blocks: there is nothing to end.
        #expect(source.cancels.withLock { $0 } == 0)
    }

    @Test(
        "Where its last reader goes while it blocks, the source is cancelled, for nothing else would end it"
    )
    func oldSourceBlocks() throws {
        let context = ReadContext()
        let source = OldSource { context.cancel() }
        _ = try? read(source, context)
        #expect(source.cancels.withLock { $0 } == 1)
    }
}
