/// One plane of a frame: rows of samples, `bytesPerRow` apart. The pointer lives as long as the closure
/// that received it.
public struct VideoPlane {
    /// First byte of the first (top) row.
    public let baseAddress: UnsafeRawPointer
    /// Distance from one row to the next in bytes; may be negative for frames stored bottom up.
    public let bytesPerRow: Int
    /// Bytes of a row that hold samples; the rest up to `bytesPerRow` is padding.
    public let bytesUsedPerRow: Int
    /// Rows of the plane: fewer than the frame has where chroma is halved.
    public let rowCount: Int

    /// Nothing is copied: the memory is the caller's.
    public init(baseAddress: UnsafeRawPointer, bytesPerRow: Int, bytesUsedPerRow: Int, rowCount: Int) {
        self.baseAddress = baseAddress
        self.bytesPerRow = bytesPerRow
        self.bytesUsedPerRow = bytesUsedPerRow
        self.rowCount = rowCount
    }
}
