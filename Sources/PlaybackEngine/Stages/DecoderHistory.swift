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
    /// The number of packets that were sent.
    private(set) var sentCount = 0
    /// The decode times of the latest key frames that were sent, with the numbers of packets before them.
    private(set) var keyFrames: [(decodeTime: MediaTime, precedingCount: Int)] = []
    /// The last frame that was decoded.
    private(set) var newestFrame: VideoFrame?
    /// If set, frames that are not due at this time or later may have been skipped.
    private var target: MediaTime?
    /// True while every packet that was sent has been decoded.
    private var isComplete = true

    /// More key frames than a short seek goes back, also if all frames are.
    private static let maximumKeyFrameCount = 256

    mutating func send(_ packet: Packet) {
        let identity = PacketIdentity(packet)
        if firstSent == nil { firstSent = identity }
        lastSent = identity
        if packet.isKeyFrame, let time = packet.decodeTime {
            if keyFrames.count == Self.maximumKeyFrameCount { keyFrames.removeFirst() }
            keyFrames.append((time, sentCount))
        }
        sentCount += 1
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
/// These packets are read again, from the sync point on, and are skipped up to the last one that was sent. They differ if
/// some could not be read before, as from a server that did not have a segment.
struct DecoderResumption {
    enum Step {
        /// The decoder has already received the packet.
        case skip
        /// The packet is the last one that the decoder has received. The next packet is new.
        case reached
        /// The packets differ from those that the decoder received. All of them must be decoded.
        case diverged
    }

    private let keyFrames: [(decodeTime: MediaTime, precedingCount: Int)]
    private let last: DecoderHistory.PacketIdentity
    private let sentCount: Int
    /// The number of packets that the decoder has received up to the last one that was skipped, or nil before the first.
    private var count: Int?
    /// The elements skipped so far.
    private(set) var skippedElements: [PacketElement] = []

    init?(_ history: DecoderHistory) {
        guard let last = history.lastSent else { return nil }
        keyFrames = history.keyFrames
        sentCount = history.sentCount
        self.last = last
    }

    mutating func consume(_ element: PacketElement) -> Step {
        skippedElements.append(element)
        guard case .packet(let packet, _) = element, let time = packet.decodeTime, let end = last.decode,
            let preceding = count ?? precedingCount(packet, time)
        else { return .diverged }
        count = preceding + 1
        if DecoderHistory.PacketIdentity(packet) == last { return count == sentCount ? .reached : .diverged }
        return time < end ? .skip : .diverged
    }

    private func precedingCount(_ packet: Packet, _ time: MediaTime) -> Int? {
        guard packet.isKeyFrame else { return nil }
        return keyFrames.last { $0.decodeTime == time }?.precedingCount
    }
}
