import Foundation
import MediaCore
import TestSupport
import Testing

@testable import Network

/// Files that are read like an MP4 whose index is at the end: the head, the index, and then everything between them.
@Suite("Files with their index at the end", .timeLimit(.minutes(10)))
struct IndexAtEndTests {
    private static let size = 3_000_000
    private static let index = 2_900_000

    /// Reads a range with one context.
    private func read(_ source: any ByteSource, _ range: Range<Int>, _ context: ReadContext)
        throws(MediaError)
        -> [UInt8]
    {
        var result: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 << 10, alignment: 1)
        defer { buffer.deallocate() }
        while result.count < range.count {
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(range.count - result.count))
            let offset = Int64(range.lowerBound + result.count)
            let count = try context.retryUntilReady { () throws(MediaError) in
                try source.readIfAvailable(at: offset, into: part, context: context)
            }
            if count == 0 { return result }
            result += part.prefix(count)
        }
        return result
    }

    @Test("Bytes are requested once, apart from the rest of the first request", arguments: [false, true])
    func requests(isCached: Bool) async throws {
        let folder = try TemporaryFolder()
        var file = try SharedFile(size: Self.size)
        defer { file.server.stop() }
        if isCached { file.options.cache = DiskCache(directory: folder.url) }
        let source = try file.source()
        let context = ReadContext()
        defer { context.cancel() }
        var bytes = try read(source, 0..<48, context)
        let index = try read(source, Self.index..<Self.size, context)
        bytes += try read(source, 48..<Self.index, context)
        #expect(bytes + index == file.bytes)
        let requested = file.ranges.reduce(0) { count, range in
            count + min(range.last ?? .max, Self.size - 1) - range.first + 1
        }
        // The rest of the first request may be requested again, because the index had precedence.
        #expect(file.ranges.first?.last == (512 << 10) - 1)
        #expect(requested <= Self.size + (512 << 10), "\(file.ranges)")
        #expect(file.server.bodyBytes <= Self.size + (600 << 10))
        await file.options.cache?.flush()
    }

    @Test("Reading ahead of the head does not delay an index of more than 32 KiB", arguments: [false, true])
    func bandwidth(isLarge: Bool) throws {
        let owner = ReadContext()
        let reader = ObjectIdentifier(owner)
        var scheduler = RangeScheduler(HTTPRepresentation.Policy())
        var metadata = HTTPRepresentation.ResourceMetadata()
        let stored = StoredRanges(memory: RangeStore(byteLimit: 0), disk: nil)
        scheduler.add(reader, isKnown: false)
        func id(_ commands: [RangeScheduler.Command]?) throws -> UInt64 {
            guard case .start(let id, _)? = commands?.last else { throw MediaError(.io, "no request") }
            return id
        }
        let head = try id(scheduler.wait(reader, stored, metadata))
        #expect(scheduler[head]?.end == 512 << 10)
        scheduler.attempt(head)
        _ = scheduler.receive(16 << 10, head)
        (metadata.byteCount, metadata.supportsRanges) = (20_000_000, true)
        (metadata.isKnown, metadata.declaresByteCount) = (true, true)
        let start = isLarge ? 19_900_000 : 19_990_000 as Int64
        scheduler.move(reader, to: start, seekCount: 0)
        let index = try id(scheduler.wait(reader, stored, metadata))
        scheduler.attempt(index)
        // Until the index arrives, the connection is idle.
        #expect(scheduler.receive(16 << 10, head)?.isStopped == false)
        _ = scheduler.receive(1000, index)
        _ = scheduler.consume(reader, to: start + 1000, stored, metadata)
        _ = scheduler.wait(reader, stored, metadata)
        #expect(scheduler.receive(16 << 10, head)?.isStopped == isLarge)
        #expect((scheduler[head] == nil) == isLarge)
        #expect(scheduler[index] != nil)
        withExtendedLifetime(owner) {}
    }
}
