public import MediaCore

/// Turns packets of one track into frames. Calls come one at a time, on one lane of the caller's, and
/// never block on I/O.
///
/// Frames carry `epoch` and `pass` zero: the stage that runs the decoder stamps them.
public protocol Decoder: AnyObject, Sendable {
    /// Hands in a packet, or nil to drain. False: full, receive first and send the same again.
    /// A thrown error concerns this packet only unless its code is `.decoderFailed`.
    func send(_ packet: Packet?) throws(MediaError) -> Bool
    /// The next decoded frame.
    func receive() throws(MediaError) -> DecoderOutput
    /// Forgets everything that was sent; the next packet must be a sync point.
    func flush()
    /// A frame comes only when several behind it have been sent, though it could be had by draining.
    var hasOutputDelay: Bool { get }
    /// From the next packet on. A decoder that cannot leave frames out ignores it; the caller sends it key
    /// frames alone where no others are wanted.
    func skip(_ skipping: DecodeSkipping)
    /// It works on packets that it took before, although it asks for input: ask again soon, whether there is
    /// another packet or not.
    var isCatchingUp: Bool { get }
    /// Who is told of what the decoder gives up or loses while it goes on, such as a device. The handler is
    /// called on any thread, and at once with what happened before; it must not block and not call the decoder.
    func setFaultHandler(_ handler: @escaping @Sendable (MediaError) -> Void)
}

extension Decoder {
    public var hasOutputDelay: Bool { false }
    public var isCatchingUp: Bool { false }
    public func skip(_ skipping: DecodeSkipping) {}
    public func setFaultHandler(_ handler: @escaping @Sendable (MediaError) -> Void) {}
}
