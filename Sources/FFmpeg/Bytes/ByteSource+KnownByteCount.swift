internal import MediaCore

extension ByteSource {
    /// The total number of bytes, or nil if it is unknown. A program's source may report a negative number.
    var knownByteCount: Int64? { byteCount.flatMap { $0 >= 0 ? $0 : nil } }
}
