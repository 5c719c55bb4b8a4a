/// A plane of a frame: rows of samples that are `bytesPerRow` apart. Its pointer is valid only during the closure
/// that received it.
public struct VideoPlane {
    /// The first byte of the top row.
    public let baseAddress: UnsafeRawPointer
    /// The distance between rows in bytes. It may be negative for frames that are stored bottom-up.
    public let bytesPerRow: Int
    /// The number of bytes in a row that contain samples. The rest, up to `bytesPerRow`, is padding.
    public let bytesUsedPerRow: Int
    /// The number of rows: fewer than the frame's height if chroma is subsampled.
    public let rowCount: Int

    /// Creates a plane that refers to the caller's memory. Nothing is copied.
    ///
    /// - Parameters:
    ///   - baseAddress: The first byte of the top row.
    ///   - bytesPerRow: The distance between rows in bytes.
    ///   - bytesUsedPerRow: The number of bytes in a row that contain samples.
    ///   - rowCount: The number of rows.
    public init(baseAddress: UnsafeRawPointer, bytesPerRow: Int, bytesUsedPerRow: Int, rowCount: Int) {
        self.baseAddress = baseAddress
        self.bytesPerRow = bytesPerRow
        self.bytesUsedPerRow = bytesUsedPerRow
        self.rowCount = rowCount
    }
}
