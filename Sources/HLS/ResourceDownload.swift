import MediaCore

/// The download of a small resource, which can be resumed.
struct ResourceDownload {
    let source: any ByteSource
    private(set) var bytes: [UInt8] = []

    init(_ source: any ByteSource) { self.source = source }

    /// Continues the download, up to a little more than `limit` bytes.
    ///
    /// - Returns: All bytes of the resource, or nil if some are not available yet. The context will be woken.
    /// - Throws: `MediaError` if the resource cannot be read.
    mutating func resume(upTo limit: Int, _ context: ReadContext) throws(MediaError) -> [UInt8]? {
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { chunk.deallocate() }
        while bytes.count <= limit {
            let offset = Int64(bytes.count)
            guard let count = try source.readIfAvailable(at: offset, into: chunk, context: context) else {
                return nil
            }
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
        }
        return bytes
    }
}
