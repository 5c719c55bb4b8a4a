internal import MediaCore

extension ByteOutput {
    /// Writes the samples of all planes, top row first, without padding: one piece per plane where its rows
    /// touch, else one per row. Nothing is copied but rows of a few bytes.
    func write(_ planes: [VideoPlane]) throws(SinkError) {
        for plane in planes {
            if plane.bytesPerRow == plane.bytesUsedPerRow {
                let count = plane.bytesUsedPerRow * plane.rowCount
                try append(UnsafeRawBufferPointer(start: plane.baseAddress, count: max(0, count)))
                continue
            }
            for row in 0..<max(0, plane.rowCount) {
                let start = plane.baseAddress + row * plane.bytesPerRow
                try append(UnsafeRawBufferPointer(start: start, count: max(0, plane.bytesUsedPerRow)))
            }
        }
        try flush()
    }
}

extension [VideoPlane] {
    /// Bytes of all samples, without padding.
    var packedByteCount: Int {
        reduce(0) { $0 + Swift.max(0, $1.bytesUsedPerRow) * Swift.max(0, $1.rowCount) }
    }
}
