import MediaCore
import Testing

@testable import Network

@Suite("Range store")
struct RangeStoreTests {
    private static let content = (0..<720_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    private func bytes(_ range: Range<Int64>) -> [UInt8] {
        Array(Self.content[Int(range.lowerBound)..<Int(range.upperBound)])
    }

    @Test("Random writes never lead to wrong bytes", arguments: [1, 2, 3] as [UInt64])
    func random(seed: UInt64) {
        var random = SplitMix64(seed)
        var store = RangeStore(byteLimit: 8 * RangeStore.blockSize)
        var found = 0
        for _ in 0..<400 {
            let start = Int64.random(in: 0..<600_000, using: &random)
            let part = bytes(start..<start + Int64.random(in: 1...20_000, using: &random))
            part.withUnsafeBytes { store.write($0, at: start, isProtected: { _ in false }) }
            let place = Int64.random(in: 0..<700_000, using: &random)
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 5000, alignment: 1)
            defer { buffer.deallocate() }
            let count = store.read(at: place, into: buffer)
            #expect(Array(buffer.prefix(count)) == bytes(place..<place + Int64(count)), "seed \(seed)")
            let end = store.contiguousEnd(from: place, limit: 5000)
            #expect(min(end - place, 5000) == Int64(count), "seed \(seed)")
            if count > 0 { found += 1 }
        }
        #expect(found > 20)
    }

    @Test("Protected blocks stay, and the least recently used others are evicted")
    func eviction() {
        var store = RangeStore(byteLimit: 2 * RangeStore.blockSize)
        let size = Int64(RangeStore.blockSize)
        let block = [UInt8](repeating: 1, count: RangeStore.blockSize)
        for index in 0..<3 as Range<Int64> {
            block.withUnsafeBytes { store.write($0, at: index * size, isProtected: { $0 == 0 }) }
        }
        #expect(store.contiguousEnd(from: 0, limit: size) == size)
        #expect(store.contiguousEnd(from: size, limit: size) == size)
        #expect(store.contiguousEnd(from: 2 * size, limit: size) == 3 * size)
        #expect(store.nextStored(after: size, limit: 4 * size) == 2 * size)
        #expect(store.nextStored(after: 3 * size, limit: 4 * size) == nil)
    }
}
