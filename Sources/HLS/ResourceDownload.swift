import MediaCore

/// Reads all of a small resource, piece by piece.
struct ResourceDownload {
    let source: any ByteSource
    private(set) var bytes: [UInt8] = []

    init(_ source: any ByteSource) { self.source = source }

    /// All of it, or `.notReady`, and then the context is woken. More than `limit` bytes are not read.
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
