/// Where an asset's bytes come from.
///
/// One source may serve several readers at the same time: the demuxer that plays, another one for subtitles,
/// one for still images, the next item of a queue. Each of them reads with a `ReadContext` of its own.
///
/// A source that can keep its readers waiting implements `read(at:into:context:)`. Then a seek, another item
/// or the end of the player ends the wait of that one reader, and the source goes on serving. A source whose
/// bytes are always at hand, or one that was written before contexts, implements `read(at:into:)` alone.
public protocol ByteSource: AnyObject, Sendable {
    /// nil where it is not known.
    var byteCount: Int64? { get }
    /// False for pipes: reads must then follow each other.
    var isSeekable: Bool { get }
    /// False where bytes come over a network: then more of them must be at hand before playing starts.
    var isLocal: Bool { get }
    /// Reads up to `buffer.count` bytes from `offset`; 0 at the end. Fewer than asked is no error.
    ///
    /// Calls come one at a time, from any thread, and may block. Nothing but `cancel()` ends a call that blocks,
    /// so a seek waits for it.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int
    /// The same for one of several readers. Calls with one context come one at a time; calls with several
    /// contexts may come at the same time, from different threads.
    ///
    /// Where no bytes are at hand there are two ways. The better one holds no thread: throw `.notReady`, and
    /// call `context.wake()` when bytes have come. The other one is to block inside
    /// `context.whileWaiting(onInterrupt:wait:)` and to throw `.cancelled` when it is interrupted; the same
    /// context may read again afterwards.
    ///
    /// By default it calls `read(at:into:)`: one call at a time, and after `.notReady` again every 10 ms.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, context: ReadContext)
        throws(MediaError) -> Int
    /// How loading stands for one of the readers; nil, the default: the source does not know. A player decides by it when it
    /// may begin. Any thread, any time; it must not block.
    func loadingState(for context: ReadContext) -> LoadingState?
    /// What blocks now returns soon with `.cancelled`, and so does every later read. Any thread.
    ///
    /// Called only for a source that implements `read(at:into:)` alone, and only where its last reader has gone
    /// while a read still blocks: nothing else would end it. A source that is to be read again after that
    /// implements `read(at:into:context:)`.
    func cancel()
}

extension ByteSource {
    public var isLocal: Bool { true }
    public func loadingState(for context: ReadContext) -> LoadingState? { nil }

    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, context: ReadContext)
        throws(MediaError) -> Int
    {
        try BlockingReads.read(self, at: offset, into: buffer, context)
    }
}
