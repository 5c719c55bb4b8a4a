/// The memory of a frame with one plane, whose samples are stored in an array in rows without padding.
package final class PackedFrameStorage<Sample: BitwiseCopyable & Sendable>: VideoFrameStorage {
    private let samples: [Sample]
    private let rowCount: Int

    /// Creates the memory of a frame.
    ///
    /// - Parameters:
    ///   - samples: The samples of all rows, top row first.
    ///   - rowCount: The number of rows, which divides the number of samples.
    package init(_ samples: [Sample], rowCount: Int) {
        self.samples = samples
        self.rowCount = samples.isEmpty ? 0 : max(1, rowCount)
    }

    package var byteCount: Int { samples.count * MemoryLayout<Sample>.stride }

    package func withPlanes<R>(_ body: ([VideoPlane]) throws -> R) rethrows -> R {
        try samples.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, rowCount > 0 else { return try body([]) }
            let width = bytes.count / rowCount
            let plane = VideoPlane(
                baseAddress: base,
                bytesPerRow: width,
                bytesUsedPerRow: width,
                rowCount: rowCount
            )
            return try body([plane])
        }
    }
}
