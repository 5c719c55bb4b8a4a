import MediaCore
import Network
import TestSupport
import Testing

// Rule: interrupted-reads
@Suite("PushedByteSource")
struct PushedByteSourceTests {
    /// An application that answers requests in an order chosen from a seed, in pieces.
    private final class Application: Sendable {
        let bytes: [UInt8]
        let log = Locked<[String]>([])
        private let open = Locked<[(request: PushedByteSource.Request, position: Int)]>([])

        init(_ count: Int) {
            // A pattern of 64 KiB, because a closure for each of millions of bytes takes seconds in a debug build.
            let pattern = (0..<min(count, 1 << 16)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
            var bytes: [UInt8] = []
            while bytes.count < count { bytes += pattern.prefix(count - bytes.count) }
            self.bytes = bytes
        }

        func source(isSeekable: Bool = true, byteCount: Int64?) -> PushedByteSource {
            PushedByteSource(name: "clip", byteCount: byteCount, isSeekable: isSeekable) { [self] request in
                log.withLock { $0.append("request \(request.offset) \(request.end ?? -1)") }
                open.withLock { $0.append((request, Int(request.offset))) }
            } onCancel: { [self] request in
                log.withLock { $0.append("cancel \(request.offset)") }
                open.withLock { $0.removeAll { $0.request === request } }
            }
        }

        var openCount: Int { open.withLock { $0.count } }
        func request(_ index: Int) -> PushedByteSource.Request { open.withLock { $0[index].request } }

        func lines() -> [String] {
            log.withLock { log in
                defer { log = [] }
                return log
            }
        }

        /// Delivers a piece of one of the open requests, and finishes it at its end, or earlier.
        func answer(_ random: inout SplitMix64, finishesEarly: Bool = false) {
            var found: (request: PushedByteSource.Request, position: Int)?
            open.withLock { open in
                guard !open.isEmpty else { return }
                found = open.remove(at: Int.random(in: 0..<open.count, using: &random))
            }
            guard let (request, position) = found else { return }
            let end = min(bytes.count, Int(request.end ?? .max))
            let count = min(end - position, Int.random(in: 1...300_000, using: &random))
            let next = position + count
            if next < end { open.withLock { $0.append((request, next)) } }
            bytes[position..<next].withUnsafeBytes { request.receive($0) }
            if next == end || finishesEarly && Int.random(in: 0..<8, using: &random) == 0 {
                open.withLock { $0.removeAll { $0.request === request } }
                request.finish()
            }
        }
    }

    /// Reads up to `count` bytes without waiting; nil if there are none.
    private func read(
        _ source: PushedByteSource,
        _ offset: Int,
        _ context: ReadContext,
        count: Int = 1000
    ) throws -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: count)
        let got = try buffer.withUnsafeMutableBytes {
            try source.readIfAvailable(at: Int64(offset), into: $0, context: context)
        }
        return got.map { Array(buffer.prefix($0)) }
    }

    @Test(
        "Bytes that arrive late, in pieces and out of order are those of the resource",
        arguments: (0..<12).samples
    )
    func pieces(_ seed: UInt64) throws {
        var random = SplitMix64(seed)
        let application = Application(9_000_000)
        let isSeekable = seed % 3 != 2
        let source = application.source(isSeekable: isSeekable, byteCount: seed % 6 == 2 ? nil : 9_000_000)
        let contexts = [ReadContext(), ReadContext()]
        var offsets = [0, isSeekable ? 5_000_000 : 0]
        var read = 0
        var turns = 0
        while read < 12_000_000, turns < 100_000 {
            turns += 1
            let reader = Int.random(in: 0..<2, using: &random)
            let count = Int.random(in: 1...70_000, using: &random)
            let bytes = try self.read(source, offsets[reader], contexts[reader], count: count)
            guard let bytes else {
                #expect(application.openCount > 0)
                application.answer(&random, finishesEarly: isSeekable)
                continue
            }
            #expect(bytes == Array(application.bytes[offsets[reader]...].prefix(bytes.count)))
            #expect(application.openCount <= 3)
            read += bytes.count
            offsets[reader] += bytes.count
            if bytes.isEmpty { offsets[reader] = 0 }
            if isSeekable, Int.random(in: 0..<40, using: &random) == 0 {
                offsets[reader] = Int.random(in: 0..<9_000_000, using: &random)
            }
        }
        #expect(read >= 12_000_000)
        for context in contexts { context.cancel() }
        #expect(source.requests.isEmpty && application.openCount == 0)
    }

    @Test("A request that is finished without bytes ends a resource of unknown length")
    func unknownEnd() throws {
        let application = Application(5_000)
        let source = application.source(byteCount: nil)
        let context = ReadContext()
        #expect(try read(source, 0, context) == nil)
        let request = application.request(0)
        application.bytes.withUnsafeBytes { request.receive($0) }
        request.finish()
        #expect(try read(source, 0, context, count: 10_000)?.count == 5_000)
        if try read(source, 5_000, context) == nil {
            application.request(application.openCount - 1).finish()
        }
        #expect(try read(source, 5_000, context)?.isEmpty == true)
    }

    @Test("A resource without ranges that is finished early is cut off, and not requested again by itself")
    func earlyEnd() throws {
        let application = Application(5_000)
        let source = application.source(isSeekable: false, byteCount: 8_000)
        let context = ReadContext()
        #expect(try read(source, 5_000, context) == nil)
        let request = application.request(0)
        application.bytes.withUnsafeBytes { request.receive($0) }
        request.finish()
        #expect(throws: MediaError.self) { try read(source, 5_000, context) }
        #expect(application.lines().filter { $0.hasPrefix("request") }.count == 1)
    }

    @Test("A closed reader's requests are cancelled at once, and those of other readers continue")
    func closing() throws {
        let application = Application(20_000_000)
        let source = application.source(byteCount: 20_000_000)
        let (first, second) = (ReadContext(), ReadContext())
        #expect(try read(source, 0, first) == nil)
        #expect(try read(source, 10_000_000, second) == nil)
        #expect(application.lines() == ["request 0 4194304", "request 10000000 11048576"])
        #expect(source.loadingState(for: first)?.missingBytes == 20_000_000)
        first.cancel()
        #expect(application.lines() == ["cancel 0"])
        #expect(source.requests.map(\.offset) == [10_000_000])
        #expect(throws: MediaError.self) { try read(source, 0, first) }
        second.cancel()
        #expect(application.lines() == ["cancel 10000000"] && source.requests.isEmpty)
        // A released reader is closed.
        var third: ReadContext? = ReadContext()
        #expect(try read(source, 5, third!) == nil)
        let request = application.request(0)
        third = nil
        #expect(application.lines() == ["request 5 4194309", "cancel 5"])
        #expect(!request.isOpen)
        application.bytes[5..<100].withUnsafeBytes { request.receive($0) }
        #expect(try read(source, 5, ReadContext()) == nil)
    }

    @Test("An interrupted wait cancels its request, and so does a seek to other bytes")
    func interrupting() throws {
        let application = Application(20_000_000)
        let source = application.source(byteCount: 20_000_000)
        let context = ReadContext()
        context.begin(Epoch(1))
        #expect(try read(source, 0, context) == nil)
        #expect(try read(source, 0, context) == nil)
        context.interrupt(before: Epoch(2))
        #expect(application.lines() == ["request 0 4194304", "cancel 0"])
        context.begin(Epoch(2))
        #expect(try read(source, 8_000_000, context) == nil)
        #expect(application.lines() == ["request 8000000 9048576"])
        application.bytes[8_000_000..<8_000_100].withUnsafeBytes { application.request(0).receive($0) }
        #expect(try read(source, 8_000_000, context)?.count == 100)
        // The reader does not wait now.
        context.interrupt(before: Epoch(3))
        #expect(application.lines().isEmpty)
        context.begin(Epoch(3))
        context.noteSeek()
        #expect(try read(source, 15_000_000, context) == nil)
        let lines = application.lines()
        #expect(lines.contains("cancel 8000000") && lines.last?.hasPrefix("request 15000000") == true)
    }

    @Test(
        "The interruption of an older call does not cancel the request of the present one",
        arguments: [false, true]
    )
    func interruptedLate(movesElsewhere: Bool) throws {
        let application = Application(20 << 20)
        let source = application.source(byteCount: 20 << 20)
        let context = ReadContext()
        context.begin(Epoch(1))
        #expect(try read(source, 0, context) == nil)
        // The call of the new epoch begins before the interruption of the old one.
        context.begin(Epoch(2))
        context.noteSeek()
        let offset = movesElsewhere ? 10 << 20 : 0
        #expect(try read(source, offset, context) == nil)
        context.interrupt(before: Epoch(2))
        #expect(source.requests.map(\.offset) == [Int64(offset)])
        context.interrupt(before: Epoch(3))
        #expect(source.requests.isEmpty)
    }

    @Test("Errors reach the readers that wait, once; a request without bytes fails, a short one is continued")
    func failures() throws {
        let application = Application(1000)
        let source = application.source(byteCount: 1000)
        let context = ReadContext()
        #expect(try read(source, 0, context) == nil)
        application.request(0).fail(MediaError(.timedOut, "no peer"))
        let failure = #expect(throws: MediaError.self) { try read(source, 0, context) }
        #expect(failure?.code == .timedOut && failure?.location == "clip")
        #expect(try read(source, 0, context) == nil)
        application.request(1).finish()
        #expect(throws: MediaError.self) { try read(source, 0, context) }
        #expect(try read(source, 0, context) == nil)
        let short = application.request(2)
        application.bytes[..<10].withUnsafeBytes { short.receive($0) }
        #expect(try read(source, 0, context)?.count == 10)
        #expect(try read(source, 10, context) == nil)
        short.finish()
        #expect(application.lines().suffix(1) == ["request 10 1000"])
        // More bytes than were requested are ignored.
        let rest = application.request(3)
        application.bytes[10...].withUnsafeBytes { rest.receive($0) }
        application.bytes.withUnsafeBytes { rest.receive($0) }
        #expect(rest.isOpen)
        rest.finish()
        #expect(!rest.isOpen && application.lines().isEmpty)
        #expect(try read(source, 10, context, count: 2000) == Array(application.bytes[10...]))
        #expect(try read(source, 1000, context) == [])
    }

    @Test(
        "Bytes beyond the end of a request are ignored, and do not cancel it, unless they do not stop",
        arguments: [true, false]
    )
    func surplus(_ isSeekable: Bool) throws {
        let application = Application(8 << 20)
        let end = isSeekable ? 4 << 20 : 6 << 20
        let source = application.source(isSeekable: isSeekable, byteCount: isSeekable ? 8 << 20 : 6 << 20)
        let context = ReadContext()
        #expect(try read(source, 0, context) == nil)
        let request = application.request(0)
        #expect(request.end == Int64(end))
        // One piece that is too long, and then more.
        application.bytes.withUnsafeBytes { request.receive($0) }
        application.bytes.prefix(512 << 10).withUnsafeBytes { request.receive($0) }
        #expect(application.lines() == ["request 0 \(end)"] && request.isOpen)
        let tail = try read(source, end - 100, context, count: 1000)
        #expect(tail == Array(application.bytes[end - 100..<end]))
        application.bytes.prefix(1).withUnsafeBytes { request.receive($0) }
        #expect(application.lines().contains("cancel 0") && !request.isOpen)
    }

    @Test("A request that is complete when it has to yield to another reader is not cancelled")
    func completeAndYielding() throws {
        let application = Application(20 << 20)
        let source = application.source(byteCount: 20 << 20)
        let (first, second) = (ReadContext(), ReadContext())
        #expect(try read(source, 0, first) == nil)
        #expect(try read(source, 10 << 20, second) == nil)
        _ = application.lines()
        let request = application.request(0)
        application.bytes.prefix(4 << 20).withUnsafeBytes { request.receive($0) }
        request.finish()
        #expect(!request.isOpen && application.lines().allSatisfy { !$0.hasPrefix("cancel") })
    }

    @Test("A request may be answered before its closure returns")
    func synchronous() throws {
        let bytes = Application(300_000).bytes
        let source = PushedByteSource(name: "clip", byteCount: 300_000) { request in
            bytes[Int(request.offset)..<Int(request.end ?? 0)].withUnsafeBytes { request.receive($0) }
            request.finish()
        } onCancel: { _ in
            Issue.record("cancelled")
        }
        var buffer = [UInt8](repeating: 0, count: 300_000)
        let count = try buffer.withUnsafeMutableBytes { try source.read(at: 0, into: $0) }
        #expect(buffer.prefix(count) == bytes.prefix(count) && count > 0)
    }
}
