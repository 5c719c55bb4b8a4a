internal import MediaCore

extension ByteOutput {
    /// Writes the samples of all planes, top row first, without padding.
    ///
    /// A plane without padding is written in one piece, other planes row by row. Only rows shorter than 1 KiB are
    /// copied.
    func write(_ planes: [VideoPlane]) throws(PlaybackError) {
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
    /// The number of bytes of all samples, without padding.
    var packedByteCount: Int {
        reduce(0) { $0 + Swift.max(0, $1.bytesUsedPerRow) * Swift.max(0, $1.rowCount) }
    }
}
