import CFFmpeg
import Testing

@testable import FFmpeg

// Rule: memory
/// A slab has sixteen blocks of one page.
@Suite("The memory of frames is returned to the system")
struct SlabSupplyTests {
    private static let slab = 16 * 4096

    private func makeBuffers(_ count: Int, of supply: SlabSupply) throws -> [UnsafeMutablePointer<
        AVBufferRef
    >] {
        try (0..<count).map { _ in try #require(supply.makeBuffer()) }
    }

    private func release(_ buffers: some Sequence<UnsafeMutablePointer<AVBufferRef>>) {
        for buffer in buffers {
            var buffer: UnsafeMutablePointer<AVBufferRef>? = buffer
            av_buffer_unref(&buffer)
        }
    }

    @Test func onlyWhatIsLikelyToBeNeededStays() throws {
        let supply = SlabSupply(pieceSize: 4096)
        defer { supply.close() }
        #expect(supply.byteCount == 0)
        let lap = try makeBuffers(200, of: supply)
        #expect(supply.byteCount == 13 * Self.slab)
        release(lap)
        // Without either of the two, there would be fewer free blocks than `maximumSpareCount`.
        #expect(supply.byteCount == 2 * Self.slab)
        // A seek releases all frames, and the same number is allocated afterwards.
        for _ in 0..<10 {
            let frames = try makeBuffers(32, of: supply)
            #expect(supply.byteCount == 2 * Self.slab)
            release(frames)
        }
        #expect(supply.byteCount == 2 * Self.slab)
    }

    @Test func theOldestSlabServesFirst() throws {
        let supply = SlabSupply(pieceSize: 4096)
        defer { supply.close() }
        var frames = try makeBuffers(64, of: supply)
        let early = frames[..<8].compactMap(\.pointee.data)
        release(frames[..<8])
        frames.removeFirst(8)
        let again = try makeBuffers(8, of: supply)
        #expect(Set(again.compactMap(\.pointee.data)) == Set(early))
        // The decoder continues with few frames, each in the block that was released last.
        for _ in 0..<100 {
            let next = try makeBuffers(1, of: supply)
            release(next)
        }
        release(frames)
        release(again)
        #expect(supply.byteCount <= 3 * Self.slab)
    }

    @Test func aFrameOutlivesItsPool() throws {
        var supply: SlabSupply? = SlabSupply(pieceSize: 4096)
        let frames = try makeBuffers(3, of: #require(supply))
        for (index, frame) in frames.enumerated() { frame.pointee.data[0] = UInt8(index) }
        supply?.close()
        #expect(supply?.byteCount == 0)
        supply = nil
        #expect(frames.map { $0.pointee.data[0] } == [0, 1, 2])
        release(frames)
    }
}
