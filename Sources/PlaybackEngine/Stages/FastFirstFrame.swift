import MediaCore
import PlayheadBackend

/// The rules for showing the first frame of an epoch before the frames that follow are decoded.
///
/// A decoder that delays its output, to reorder frames or to work on several at once, returns the first frame
/// only after later packets have been sent. Draining it after the first packet returns that frame at once. A
/// preloader may even have decoded the frame before. In both cases decoding then starts with the same packet, and
/// the frame is dropped when it is decoded for the second time.
struct FastFirstFrame {
    private enum State {
        case none
        /// The first packet has not been sent yet.
        case awaited
        /// The frame of the first packet was decoded before, and has not been shown yet.
        case decoded(Packet, VideoFrame)
        case sent(Packet)
        /// The decoder is being drained after this packet alone.
        case alone(Packet, shown: VideoFrame?)
        /// The packet must be sent again.
        case resending(Packet, shown: VideoFrame?)
        case shown(VideoFrame)
    }

    private var state = State.none
    /// Whether the first packet is decoded alone.
    private let decodesAlone: Bool
    /// A packet whose frame has been decoded, until another packet is the first one.
    private var decoded: (packet: Packet, frame: VideoFrame)?

    init(decodesAlone: Bool = true, decoded: (packet: Packet, frame: VideoFrame)? = nil) {
        self.decodesAlone = decodesAlone
        self.decoded = decoded
    }

    mutating func begin(isWanted: Bool) { state = isWanted ? .awaited : .none }

    /// Returns whether the frame of a packet has been decoded. The packet is then sent with the one after it.
    mutating func hasFrame(of packet: Packet) -> Bool {
        guard case .awaited = state, let decoded, decoded.packet.payload === packet.payload else {
            return false
        }
        state = .decoded(packet, decoded.frame)
        self.decoded = nil
        return true
    }

    /// True if `removeDecodedFrame()` returns a frame.
    var hasDecodedFrame: Bool {
        if case .decoded = state { return true }
        return false
    }

    /// Returns the frame to show that was decoded before, once.
    mutating func removeDecodedFrame() -> VideoFrame? {
        guard case .decoded(let packet, let frame) = state else { return nil }
        state = .resending(packet, shown: frame)
        return frame
    }

    mutating func sent(_ packet: Packet) {
        decoded = nil
        if case .awaited = state {
            let isUsable = decodesAlone && packet.isKeyFrame && packet.presentationTime != nil
            state = isUsable ? .sent(packet) : .none
        }
    }

    /// Returns whether the first packet can be decoded alone, given the packet after it.
    ///
    /// A frame that is decoded later but shown earlier would have to be shown first. Such frames follow the key
    /// frame immediately (H.265 requires leading pictures to precede trailing ones in decoding order).
    mutating func isComplete(before next: Packet?) -> Bool {
        guard case .sent(let packet) = state else { return false }
        if let next, let first = packet.presentationTime, let time = next.presentationTime, time > first {
            return true
        }
        state = .none
        return false
    }

    /// Records that a packet was rejected. A frame that has been shown remains shown.
    mutating func failed() {
        switch state {
        case .awaited, .sent: state = .none
        case .none, .decoded, .alone, .resending, .shown: break
        }
    }

    mutating func drain() {
        if case .sent(let packet) = state { state = .alone(packet, shown: nil) }
    }

    var isDraining: Bool {
        if case .alone = state { return true }
        return false
    }

    /// Records that the decoder has been drained or has failed. It must be flushed.
    mutating func drained() {
        if case .alone(let packet, let shown) = state { state = .resending(packet, shown: shown) }
    }

    var packetToResend: Packet? {
        if case .resending(let packet, _) = state { return packet }
        return nil
    }

    mutating func resent() {
        if case .resending(_, let shown) = state { state = shown.map { .shown($0) } ?? .none }
    }

    /// Returns whether a frame is to be delivered. It is not if it has already been shown, will be decoded
    /// again, or precedes the frame that was shown.
    mutating func isNew(_ frame: VideoFrame) -> Bool {
        switch state {
        // Its other field may be in the next packet.
        case .alone(_, nil) where frame.isInterlaced: return false
        case .alone(let packet, nil): state = .alone(packet, shown: frame)
        // A second frame of the same packet is decoded again later.
        case .alone: return false
        case .shown(let early):
            if frame.sourceTime != early.sourceTime, frame.presentationTime < early.presentationTime {
                return false
            }
            state = .none
            return frame.sourceTime != early.sourceTime
        // The decoder has returned the frame without delay.
        case .sent: state = .none
        case .none, .awaited, .decoded, .resending: break
        }
        return true
    }
}
