import Testing

@testable import HLS

/// The end of the last box of a segment.
@Suite("HLS: boxes")
struct BoxBoundaryTests {
    /// A box with 32 bits for its size, and one with 64 bits.
    private static let boxes: [UInt8] =
        [0, 0, 0, 10, 0x66, 0x72, 0x65, 0x65, 1, 2]
        + [0, 0, 0, 1, 0x6D, 0x64, 0x61, 0x74, 0, 0, 0, 0, 0, 0, 0, 19, 1, 2, 3]

    @Test("The bytes are complete at the end of a box only, in parts of any size", arguments: 1...29)
    func parts(_ size: Int) {
        var boundary = BoxBoundary()
        #expect(boundary.isComplete)
        var count = 0
        while count < Self.boxes.count {
            let part = Self.boxes[count...].prefix(size)
            boundary.append(part)
            count += part.count
            #expect(boundary.isComplete == (count == 10 || count == Self.boxes.count), "\(count)")
        }
    }

    @Test(
        "Sizes that are invalid end nowhere, and a size of zero ends with the bytes",
        arguments: [
            ([0, 0, 0, 0, 0x6D, 0x64, 0x61, 0x74, 1], true), ([0, 0, 0, 7, 0x6D, 0x64, 0x61, 0x74], false),
            ([0, 0, 0, 1, 0x6D, 0x64, 0x61, 0x74, 0xFF, 0, 0, 0, 0, 0, 0, 0, 1], false),
            (Array("<html></html>".utf8), false), ([0, 0, 0], false),
        ] as [([UInt8], Bool)]
    )
    func sizes(_ bytes: [UInt8], isComplete: Bool) {
        var boundary = BoxBoundary()
        boundary.append(bytes)
        #expect(boundary.isComplete == isComplete)
    }
}
