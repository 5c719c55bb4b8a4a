import MediaCore
import PlayheadBackend

/// The first frame of an epoch, decoded by itself: a decoder that holds frames back, to put them in order or to work on
/// several at once, would show it only when those behind it are under way. Then decoding begins anew with the same packet, and
/// that frame is left out where it comes again.
struct FastFirstFrame {
    private enum State {
        case none
        /// Nothing has been sent yet.
        case awaited
        case sent(Packet)
        /// The decoder gives out what it has of this one packet.
        case alone(Packet, shown: VideoFrame?)
        /// The packet is to be sent once more.
        case resending(Packet, shown: VideoFrame?)
        case shown(VideoFrame)
    }

    private var state = State.none

    mutating func begin(isWanted: Bool) { state = isWanted ? .awaited : .none }

    mutating func sent(_ packet: Packet) {
        if case .awaited = state {
            let isUsable = packet.isKeyFrame && packet.presentationTime != nil
            state = isUsable ? .sent(packet) : .none
        }
    }

    /// A frame that is decoded later and shown earlier would have to be shown first; such ones follow the key frame at once
    /// (H.265 demands it: leading pictures precede trailing ones in decoding order).
    mutating func isComplete(before next: Packet?) -> Bool {
        guard case .sent(let packet) = state else { return false }
        if let next, let first = packet.presentationTime, let time = next.presentationTime, time > first {
            return true
        }
        state = .none
        return false
    }

    /// A packet was refused. What has been shown stays so.
    mutating func failed() {
        switch state {
        case .awaited, .sent: state = .none
        case .none, .alone, .resending, .shown: break
        }
    }

    mutating func drain() {
        if case .sent(let packet) = state { state = .alone(packet, shown: nil) }
    }

    var isDraining: Bool {
        if case .alone = state { return true }
        return false
    }

    /// The decoder has been drained, or has failed; it must be flushed.
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

    /// False: it has been shown already, comes again, or would have had to be shown before.
    mutating func isNew(_ frame: VideoFrame) -> Bool {
        switch state {
        // Half of it may be in the next packet.
        case .alone(_, nil) where frame.isInterlaced: return false
        case .alone(let packet, nil): state = .alone(packet, shown: frame)
        // One more from the same packet: it comes again.
        case .alone: return false
        case .shown(let early):
            if frame.sourceTime != early.sourceTime, frame.presentationTime < early.presentationTime {
                return false
            }
            state = .none
            return frame.sourceTime != early.sourceTime
        // It came without delay.
        case .sent: state = .none
        case .none, .awaited, .resending: break
        }
        return true
    }
}
