/// Where an asset's bytes come from.
///
/// `read` is called from one queue at a time and may block; `cancel` may come from any thread.
public protocol ByteSource: AnyObject, Sendable {
    /// nil where it is not known.
    var byteCount: Int64? { get }
    /// False for pipes: reads must then follow each other.
    var isSeekable: Bool { get }
    /// False where bytes come over a network: then more of them must be at hand before playing starts.
    var isLocal: Bool { get }
    /// Reads up to `buffer.count` bytes from `offset`; 0 at the end. Fewer than asked is no error.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int
    /// What blocks now returns soon with `.cancelled`, and so does every later read.
    func cancel()
}

extension ByteSource {
    public var isLocal: Bool { true }
}
