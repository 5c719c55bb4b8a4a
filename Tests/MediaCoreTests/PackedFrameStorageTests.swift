import MediaCore
import Testing

@Suite struct PackedFrameStorageTests {
    private func planes<Sample: BitwiseCopyable & Sendable>(_ samples: [Sample], rows: Int) -> [[Int]] {
        PackedFrameStorage(samples, rowCount: rows).withPlanes { planes in
            planes.map { [$0.bytesPerRow, $0.bytesUsedPerRow, $0.rowCount] }
        }
    }

    @Test func rowsHaveNoPadding() {
        #expect(planes([UInt8](repeating: 1, count: 18), rows: 3) == [[6, 6, 3]])
        #expect(planes([UInt32](repeating: 1, count: 6), rows: 2) == [[12, 12, 2]])
        #expect(planes([Float](repeating: 1, count: 12), rows: 4) == [[12, 12, 4]])
        #expect(PackedFrameStorage([UInt32](repeating: 1, count: 6), rowCount: 2).byteCount == 24)
        let bytes = PackedFrameStorage([UInt16(0x0201), 0x0403], rowCount: 2).withPlanes { planes in
            (0..<4).map { planes[0].baseAddress.load(fromByteOffset: $0, as: UInt8.self) }
        }
        #expect(bytes == [1, 2, 3, 4])
    }

    @Test func noSamplesAreNoPlane() {
        for rows in [-1, 0, 5] { #expect(planes([UInt8](), rows: rows).isEmpty) }
        #expect(planes([UInt8](repeating: 0, count: 4), rows: 0) == [[4, 4, 1]])
    }
}
