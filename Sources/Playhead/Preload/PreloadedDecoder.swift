import MediaCore
import PlayheadBackend

/// A decoder that has already decoded the first frame of a track, and returns it when the same packet is sent.
///
/// This is a decorator. When further packets follow, the first packet is decoded again, because they refer to its
/// frame; the repeated frame is omitted.
///
/// `@unchecked Sendable`: confined to the caller's lane, as `Decoder` requires.
final class PreloadedDecoder: Decoder, @unchecked Sendable {
    private let base: any Decoder
    /// The packet and its frame, until further packets are decoded.
    private var first: (packet: Packet, frame: VideoFrame)?
    /// Whether the caller has sent only the first packet so far.
    private var isHolding = false
    private var isDraining = false
    /// Whether the frame has been returned.
    private var hasAnswered = false
    /// The presentation time of the frame that the base decoder will return again.
    private var repeated: MediaTime?
    /// Whether a packet has been sent to the base decoder since the last flush.
    private var isUsed = false

    /// Decodes the first frame.
    ///
    /// - Throws: `MediaError` if the packet alone yields no frame.
    init(_ base: any Decoder, first packet: Packet) throws(MediaError) {
        self.base = base
        guard let frame = try Self.decode(packet, with: base) else {
            throw MediaError(.decodeFailed, "the first packet contains no frame", track: packet.track)
        }
        first = (packet, frame)
        base.flush()
    }

    private static func decode(_ packet: Packet, with base: any Decoder) throws(MediaError) -> VideoFrame? {
        guard try base.send(packet) else { return nil }
        var isDrained = false
        while true {
            switch try base.receive() {
            case .video(let frame): return frame
            case .audio, .ended: return nil
            case .needsInput where isDrained: return nil
            case .needsInput: isDrained = try base.send(nil)
            }
        }
    }

    var hasOutputDelay: Bool { base.hasOutputDelay }
    var isCatchingUp: Bool { isHolding ? false : base.isCatchingUp }
    func skip(_ skipping: DecodeSkipping) { base.skip(skipping) }
    func setFaultHandler(_ handler: @escaping @Sendable (MediaError) -> Void) {
        base.setFaultHandler(handler)
    }

    func send(_ packet: Packet?) throws(MediaError) -> Bool {
        if isHolding { return try sendBehindFirst(packet) }
        if !isUsed, let first {
            if let packet, packet.payload === first.packet.payload {
                isHolding = true
                hasAnswered = false
                return true
            }
            self.first = nil
        }
        isUsed = true
        return try base.send(packet)
    }

    private func sendBehindFirst(_ packet: Packet?) throws(MediaError) -> Bool {
        guard packet != nil else {
            isDraining = true
            return true
        }
        guard !isDraining, let first else { return false }
        // From here on the base decoder decodes.
        isHolding = false
        isUsed = true
        repeated = hasAnswered ? first.frame.presentationTime : nil
        self.first = nil
        guard try base.send(first.packet) else { return false }
        return try base.send(packet)
    }

    func receive() throws(MediaError) -> DecoderOutput {
        if isHolding, let first {
            guard hasAnswered else {
                hasAnswered = true
                return .video(first.frame)
            }
            return isDraining ? .ended : .needsInput
        }
        while true {
            let output = try base.receive()
            guard case .video(let frame) = output, let time = repeated else { return output }
            repeated = nil
            if frame.presentationTime != time { return output }
        }
    }

    func flush() {
        isHolding = false
        isDraining = false
        repeated = nil
        guard isUsed else { return }
        isUsed = false
        base.flush()
    }
}
