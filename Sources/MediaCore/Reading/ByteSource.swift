/// The bytes of an asset, which a demuxer reads at any offset.
///
/// Implement this protocol to play media from somewhere other than a file or a URL: an archive, a decrypted
/// container, a peer-to-peer download. Pass the source to an `Asset`.
///
/// One source may serve several readers at the same time: the demuxer that plays, another one for subtitles, one for
/// still images, and the next item of a queue. Each reader has its own `ReadContext`.
///
/// A source implements one of the two read methods:
///
/// | Implement | If | A seek during a read |
/// |---|---|---|
/// | `read(at:into:context:)` | reads may have to wait, such as for a network | ends that reader's call at once |
/// | `read(at:into:)` alone | bytes are always available, or reads are short | waits until the call returns |
///
/// The members are called as follows:
///
/// | Member | Caller | Thread |
/// |---|---|---|
/// | `byteCount`, `isSeekable`, `isLocal` | the demuxer, on opening and later | any |
/// | `read(at:into:context:)` | the demuxer of one reader | its lane; one call at a time for each context |
/// | `read(at:into:)` | the default `read(at:into:context:)` | any; one call at a time for the source |
/// | `loadingState(for:)` | the player, before it starts or resumes | any, at any time; must not block |
/// | `cancel()` | the last reader, when it is closed during a read | any |
///
/// The errors that a read throws have these meanings:
///
/// | Error code | Meaning | The reader then |
/// |---|---|---|
/// | `.notReady` | no bytes are available yet; the call did not wait | calls again after `ReadContext.wake()` |
/// | `.cancelled` | the call waited and was interrupted | may call again, at another offset |
/// | any other | the read failed | reports the error, or skips the damaged part |
///
/// A source that implements `read(at:into:)` alone has no context to call `wake()` on. After `.notReady` it is called
/// again every 10 ms.
public protocol ByteSource: AnyObject, Sendable {
    /// The total number of bytes, or nil if it is unknown.
    var byteCount: Int64? { get }
    /// A Boolean value that indicates whether bytes can be read at any offset.
    ///
    /// False for pipes: each read then begins where the previous one ended.
    var isSeekable: Bool { get }
    /// A Boolean value that indicates whether the bytes are on this machine; true by default.
    ///
    /// If it is false, the bytes arrive over a network, and the player buffers more of them before it starts.
    var isLocal: Bool { get }
    /// Reads up to `buffer.count` bytes at an offset.
    ///
    /// Calls arrive one at a time, on any thread, and may block. Only `cancel()` ends a call that blocks, so a seek
    /// waits for it.
    ///
    /// - Parameters:
    ///   - offset: The number of bytes before the first byte to read.
    ///   - buffer: The memory to fill.
    /// - Returns: The number of bytes read, which may be less than `buffer.count`; 0 at the end of the source.
    /// - Throws: `MediaError`. `.notReady` if no bytes are available yet: the call is repeated every 10 ms.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int
    /// Reads up to `buffer.count` bytes at an offset, for one of several readers.
    ///
    /// Calls with one context arrive one at a time. Calls with different contexts may arrive at the same time, on
    /// different threads.
    ///
    /// If no bytes are available, the source has two options:
    ///
    /// 1. Throw `.notReady`, and call `context.wake()` once bytes have arrived. This is preferable, because no thread
    ///    waits.
    /// 2. Block inside `context.whileWaiting(onInterrupt:wait:)`, and throw `.cancelled` if the wait is interrupted.
    ///
    /// The default implementation calls `read(at:into:)`: one call at a time, and again every 10 ms after
    /// `.notReady`.
    ///
    /// - Parameters:
    ///   - offset: The number of bytes before the first byte to read.
    ///   - buffer: The memory to fill.
    ///   - context: The reader that needs the bytes. It reports when they are no longer needed.
    /// - Returns: The number of bytes read, which may be less than `buffer.count`; 0 at the end of the source.
    /// - Throws: `MediaError`. `.notReady` if no bytes are available yet; `.cancelled` if the reader was interrupted.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, context: ReadContext)
        throws(MediaError) -> Int
    /// Returns how much of the resource has been received and how much is still missing for one reader.
    ///
    /// The player uses it to decide when playback can start. Any thread may call it at any time; it must not block.
    ///
    /// - Parameter context: The reader to report for.
    /// - Returns: The state, or nil if the source does not know it. The default implementation returns nil.
    func loadingState(for context: ReadContext) -> LoadingState?
    /// Ends a read that blocks, and all later ones, with `.cancelled`. May be called on any thread.
    ///
    /// It is called only for a source that implements `read(at:into:)` alone, and only if its last reader is closed
    /// during a blocking read, which nothing else would end. A source that must remain readable after that implements
    /// `read(at:into:context:)`.
    func cancel()
}

extension ByteSource {
    public var isLocal: Bool { true }
    public func loadingState(for context: ReadContext) -> LoadingState? { nil }

    /// Reads with `read(at:into:)`, one call at a time. See `BlockingReads`.
    ///
    /// - Throws: `MediaError` from `read(at:into:)`; `.cancelled` if the reader was interrupted.
    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, context: ReadContext)
        throws(MediaError) -> Int
    {
        try BlockingReads.read(self, at: offset, into: buffer, context)
    }
}
