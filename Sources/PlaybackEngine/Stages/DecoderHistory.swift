import MediaCore
import PlayheadBackend

/// The input and output of a video decoder since its last flush.
///
/// It shows whether a seek to a slightly later time can continue with the decoder instead of decoding from the
/// sync point again.
struct DecoderHistory {
    /// The properties by which a packet is recognized when it is read again.
    struct PacketIdentity: Equatable {
        let presentation, decode: MediaTime?
        let byteCount: Int

        init(_ packet: Packet) {
            presentation = packet.presentationTime
            decode = packet.decodeTime
            byteCount = packet.byteCount
        }
    }

    /// The first packet that was sent.
    private(set) var firstSent: PacketIdentity?
    /// The last packet that was sent.
    private(set) var lastSent: PacketIdentity?
    /// The last frame that was decoded.
    private(set) var newestFrame: VideoFrame?
    /// If set, frames that are not due at this time or later may have been skipped.
    private var target: MediaTime?
    /// True while every packet that was sent has been decoded.
    private var isComplete = true

    mutating func send(_ packet: Packet) {
        let identity = PacketIdentity(packet)
        if firstSent == nil { firstSent = identity }
        lastSent = identity
    }
    mutating func receive(_ frame: VideoFrame) { newestFrame = frame }

    /// Records that frames which are not due at `target` may be skipped.
    mutating func allowSkipping(before target: MediaTime) { self.target = max(target, self.target ?? target) }

    /// Records that the decoder cannot continue, because a packet was rejected or skipped, or because the
    /// decoder was drained.
    mutating func invalidate() { isComplete = false }

    /// Returns whether the frame due at `time` is the last one decoded, or is still to be decoded.
    func reaches(to time: MediaTime) -> Bool {
        guard isComplete, lastSent?.decode != nil,
            let reached = newestFrame?.presentationTime ?? firstSent?.presentation
        else { return false }
        return reached <= time && target.map { $0 <= time } ?? true
    }
}

/// Continues with a decoder that has already received the first packets of an epoch.
///
/// These packets are read again, from the sync point on, and are skipped up to the last one that was sent.
struct DecoderResumption {
    enum Step {
        /// The decoder has already received the packet.
        case skip
        /// The packet is the last one that the decoder has received. The next packet is new.
        case reached
        /// The packets differ from those that the decoder received. All of them must be decoded.
        case diverged
    }

    private let firstDecodeTime: MediaTime
    private let last: DecoderHistory.PacketIdentity
    private var isFirst = true
    /// The elements skipped so far.
    private(set) var skippedElements: [PacketElement] = []

    init?(_ history: DecoderHistory) {
        guard let firstDecodeTime = history.firstSent?.decode, let last = history.lastSent else { return nil }
        self.firstDecodeTime = firstDecodeTime
        self.last = last
    }

    mutating func consume(_ element: PacketElement) -> Step {
        skippedElements.append(element)
        guard case .packet(let packet, _) = element, let time = packet.decodeTime, let end = last.decode,
            !isFirst || packet.isKeyFrame && firstDecodeTime <= time
        else { return .diverged }
        isFirst = false
        if DecoderHistory.PacketIdentity(packet) == last { return .reached }
        return time < end ? .skip : .diverged
    }
}
