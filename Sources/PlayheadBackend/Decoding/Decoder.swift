public import MediaCore

/// Decodes the packets of one audio or video track.
///
/// Calls are made one at a time on one of the caller's lanes. They must not block on I/O. The `epoch` and the
/// `pass` of the output are zero; the stage that runs the decoder sets them.
public protocol Decoder: AnyObject, Sendable {
    /// Sends a packet to the decoder.
    ///
    /// - Parameter packet: The packet to decode, or nil to drain the decoder.
    /// - Returns: True if the decoder has accepted the packet. If false, the decoder is full: the caller must
    ///   receive output first, and then send the same packet again.
    /// - Throws: `MediaError`. It concerns this packet only, unless its code is `.decoderFailed`.
    func send(_ packet: Packet?) throws(MediaError) -> Bool
    /// Returns the next decoded frame or buffer, in presentation order.
    ///
    /// - Throws: `MediaError`. It concerns a single packet, unless its code is `.decoderFailed`.
    func receive() throws(MediaError) -> DecoderOutput
    /// Discards everything that has been sent. The next packet must be a sync point.
    func flush()
    /// Discards everything that has been sent, like `flush()`, after a key frame was drained alone. Another key frame
    /// follows soon, so the decoder may keep memory and threads. The default calls `flush()`.
    func restart()
    /// Creates a second decoder of the track, which decodes single key frames while this one works on other packets.
    ///
    /// The caller sends it a key frame, drains it, and calls `restart()`. It decodes one frame as soon as it can, where
    /// a decoder for playback decodes several at once. The default returns nil.
    ///
    /// - Returns: The decoder, or nil if it would return a frame no sooner than this one.
    /// - Throws: `MediaError` if the decoder cannot be created.
    func makeKeyFrameDecoder() throws(MediaError) -> (any Decoder)?
    /// True if the decoder returns a frame only after several later packets have been sent, although draining
    /// would return it at once. The default is false.
    var hasOutputDelay: Bool { get }
    /// Sets which frames are skipped, from the next packet on. The default does nothing.
    ///
    /// A decoder that cannot skip frames may ignore the call. A caller that needs key frames only sends no
    /// other packets.
    ///
    /// - Parameter skipping: The frames to skip.
    func skip(_ skipping: DecodeSkipping)
    /// True if `receive()` returns `.needsInput` while the decoder is still processing packets that it has
    /// accepted. The caller should call `receive()` again soon, whether or not there is another packet. The
    /// default is false.
    var isCatchingUp: Bool { get }
    /// Sets the handler for failures after which the decoder continues, such as the loss of a hardware device.
    /// The default does nothing.
    ///
    /// - Parameter handler: Receives each failure on any thread, and immediately those that occurred before the
    ///   call. It must neither block nor call the decoder.
    func setFaultHandler(_ handler: @escaping @Sendable (MediaError) -> Void)
}

extension Decoder {
    public func restart() { flush() }
    public func makeKeyFrameDecoder() throws(MediaError) -> (any Decoder)? { nil }
    public var hasOutputDelay: Bool { false }
    public var isCatchingUp: Bool { false }
    public func skip(_ skipping: DecodeSkipping) {}
    public func setFaultHandler(_ handler: @escaping @Sendable (MediaError) -> Void) {}
}
