public import MediaCore

/// Reads the packets of a container.
///
/// Calls are made one at a time on one of the caller's lanes, and may block on I/O. Only the members that say
/// so may be called on any thread. All times are item times: zero is `MediaDescription.startTime`.
///
/// A call that finds too few bytes has two options:
///
/// 1. Wait. The call occupies a thread meanwhile.
/// 2. Return `.pending`, and send `.ready` to the notice handler when the call is worth repeating. The caller then
///    makes the same call again, which continues where it stopped; or it makes another call, which abandons the first.
///
/// The second option is allowed only while there is a notice handler, and for missing bytes only without
/// `DemuxerOptions.usesBlockingReads`.
///
/// Each call belongs to an epoch, so that a seek does not have to wait for a read that waits for bytes.
/// `begin(_:)` sets the epoch of the caller's next calls, and `interrupt(before:)` ends those of older epochs.
public protocol Demuxer: AnyObject, Sendable {
    /// Opens the source and reads what is needed to describe it. It is the first call. It is made once, but repeated
    /// after `.pending`.
    ///
    /// - Returns: The description of the container and its tracks.
    /// - Throws: `MediaError`. `.cancelled` means that the call was interrupted.
    func open() throws(MediaError) -> Poll<MediaDescription>
    /// Selects the tracks to read. Packets of other tracks are not returned, and they are not read if the
    /// container allows that.
    ///
    /// - Parameter ids: The `Track.id` of each track to read.
    func setEnabledTracks(_ ids: Set<Int>)
    /// Reads the next packet of an enabled track.
    ///
    /// - Returns: The packet, or nil at the end of the data. After the end, a seek makes the data readable
    ///   again. `.pending` also if the call was interrupted before it had read anything: the position is unchanged,
    ///   and the next call of a newer epoch continues.
    /// - Throws: `MediaError`. After an error with `isRetryable` the next call may succeed. `.cancelled` means that
    ///   the call was interrupted while it was running; `seek(to:preference:)` must precede the next `read()`.
    func read() throws(MediaError) -> Poll<Packet?>
    /// Moves to a sync point of the enabled video track, or of any enabled track if there is no video track.
    ///
    /// If there is no sync point on the preferred side, the nearest one on the other side is used. The next
    /// `read()` returns the first packet from there.
    ///
    /// - Parameters:
    ///   - target: The item time to move to.
    ///   - preference: Whether the sync point precedes or follows the target.
    /// - Returns: `.ready(())`, or `.pending` if bytes are missing.
    /// - Throws: `MediaError`. `.cancelled` means that the call was interrupted; any seek may follow.
    func seek(to target: MediaTime, preference: SeekPreference) throws(MediaError) -> Poll<Void>
    /// Creates a decoder for an audio or video track. The decoder may be used on another lane than the demuxer.
    ///
    /// - Parameters:
    ///   - track: The `Track.id` of the track.
    ///   - options: The threads, memory and devices that the decoder may use.
    /// - Returns: A decoder that has received no packets.
    /// - Throws: `MediaError` if there is no decoder for the track.
    func makeDecoder(for track: Int, options: DecoderOptions) throws(MediaError) -> Poll<any Decoder>
    /// Returns the first packet of a video track and its frame, if the frame has been decoded already, and forgets
    /// both. It is called once, after `makeDecoder(for:options:)`. When `read()` returns that packet, the frame is
    /// shown without decoding. The default returns nil.
    ///
    /// - Parameter track: The `Track.id` of the track.
    func decodedFirstFrame(of track: Int) -> (packet: Packet, frame: VideoFrame)?
    /// Creates a decoder for a subtitle or timed metadata track. The decoder may be used on another lane than
    /// the demuxer. The default throws.
    ///
    /// - Parameter track: The `Track.id` of the track.
    /// - Returns: A decoder that has received no packets.
    /// - Throws: `MediaError` with the code `.decoderNotFound` if there is no decoder for the track.
    func makeTextDecoder(for track: Int) throws(MediaError) -> Poll<any TextDecoder>
    /// Sets the epoch of the calls that follow. It is called between other calls on the caller's lane. The
    /// default does nothing.
    ///
    /// - Parameter epoch: The new epoch, never older than the one before.
    func begin(_ epoch: Epoch)
    /// Interrupts the calls of older epochs. Any thread, at any time. The default does nothing.
    ///
    /// A running call of an epoch before `epoch` soon returns `.pending` or throws `.cancelled`, and later calls
    /// of such an epoch do the same. No `.ready` follows: the caller begins the new epoch. Calls of `epoch` and of
    /// later epochs are not affected.
    ///
    /// - Parameter epoch: The first epoch that is not interrupted.
    func interrupt(before epoch: Epoch)
    /// Sets the handler that is notified when a call waits for bytes, and when a call that returned `.pending` is
    /// worth repeating. The default does nothing, which suits a demuxer that never returns `.pending`.
    ///
    /// - Parameter handler: Receives the notices on any thread. It must neither block nor call the demuxer. If
    ///   nil, the current handler is removed.
    func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?)
    /// The loading state of the bytes that the demuxer reads, or nil if it is unknown, which is the default.
    /// Any thread, at any time; it does not block.
    var loadingState: LoadingState? { get }
    /// The number of bytes received over the network for the presentation, regardless of the reader that requested
    /// them, or nil if they are not counted. Its growth is the throughput. The default is that of `loadingState`. Any
    /// thread, at any time; it does not block.
    var receivedBytes: Int64? { get }
    /// Whether the demuxer waits for media that a live source does not offer yet, so that the time says nothing about
    /// the throughput. The default is false. Any thread, at any time; it does not block.
    var awaitsMedia: Bool { get }
    /// Cancels the demuxer permanently. Any thread, at any time, any number of times.
    ///
    /// A running call returns soon with `.cancelled`, and so does every later call. Other readers of the same
    /// bytes are not affected.
    func cancel()
}

extension Demuxer {
    public func decodedFirstFrame(of track: Int) -> (packet: Packet, frame: VideoFrame)? { nil }
    public func begin(_ epoch: Epoch) {}
    public func interrupt(before epoch: Epoch) {}
    public func setNoticeHandler(_ handler: (@Sendable (ReadNotice) -> Void)?) {}
    public var loadingState: LoadingState? { nil }
    public var receivedBytes: Int64? { loadingState?.receivedBytes }
    public var awaitsMedia: Bool { false }

    /// Rejects every track: a backend without subtitles needs no implementation.
    ///
    /// - Throws: `MediaError` with the code `.decoderNotFound`, always.
    public func makeTextDecoder(for track: Int) throws(MediaError) -> Poll<any TextDecoder> {
        throw MediaError(
            .decoderNotFound,
            "this backend cannot decode subtitles or timed metadata",
            track: track
        )
    }
}
