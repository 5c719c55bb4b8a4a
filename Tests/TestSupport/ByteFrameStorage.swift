package import Playhead

/// A video frame over plain bytes, with arbitrary strides.
package final class ByteFrameStorage: VideoFrameStorage {
    package struct Plane {
        /// The offset of the top row.
        package var offset: Int
        package var bytesPerRow: Int
        package var bytesUsedPerRow: Int
        package var rowCount: Int

        package init(offset: Int, bytesPerRow: Int, bytesUsedPerRow: Int, rowCount: Int) {
            self.offset = offset
            self.bytesPerRow = bytesPerRow
            self.bytesUsedPerRow = bytesUsedPerRow
            self.rowCount = rowCount
        }
    }

    private let bytes: [UInt8]
    private let planes: [Plane]

    package init(_ bytes: [UInt8], _ planes: [Plane]) {
        self.bytes = bytes
        self.planes = planes
    }

    package var byteCount: Int { bytes.count }

    package func withPlanes<R>(_ body: ([VideoPlane]) throws -> R) rethrows -> R {
        try bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return try body([]) }
            return try body(
                planes.map {
                    VideoPlane(
                        baseAddress: base + $0.offset,
                        bytesPerRow: $0.bytesPerRow,
                        bytesUsedPerRow: $0.bytesUsedPerRow,
                        rowCount: $0.rowCount
                    )
                }
            )
        }
    }
}
