internal import MediaCore

/// A blocking read for a caller without a `ReadContext`.
enum BlockedRead {
    /// Reads bytes and blocks until they are available.
    static func read(_ source: any ByteSource, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer)
        throws(MediaError) -> Int
    {
        let context = ReadContext()
        defer { context.cancel() }
        return try context.retryUntilReady { () throws(MediaError) in
            try source.readIfAvailable(at: offset, into: buffer, context: context)
        }
    }
}
