import MediaCore

/// The download of a small resource, which can be resumed after `.notReady`.
struct ResourceDownload {
    let source: any ByteSource
    private(set) var bytes: [UInt8] = []

    init(_ source: any ByteSource) { self.source = source }

    /// Continues the download, up to a little more than `limit` bytes.
    ///
    /// - Returns: All bytes of the resource.
    /// - Throws: `MediaError`; `.notReady` if the call must be repeated after the context has been woken.
    mutating func resume(upTo limit: Int, _ context: ReadContext) throws(MediaError) -> [UInt8] {
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { chunk.deallocate() }
        while bytes.count <= limit {
            let count = try source.read(at: Int64(bytes.count), into: chunk, context: context)
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
        }
        return bytes
    }
}
