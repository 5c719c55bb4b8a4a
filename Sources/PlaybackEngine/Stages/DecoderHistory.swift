import MediaCore
import PlayheadBackend

/// What a video decoder was given, and gave, since it was flushed. A seek to a time a little ahead goes on from
/// there instead of decoding from the sync point once more.
struct DecoderHistory {
    /// A packet that is read again is known by these.
    struct PacketIdentity: Equatable {
        let presentation, decode: MediaTime?
        let byteCount: Int

        init(_ packet: Packet) {
            presentation = packet.presentationTime
            decode = packet.decodeTime
            byteCount = packet.byteCount
        }
    }

    /// When the first packet that was sent is decoded.
    private(set) var firstDecodeTime: MediaTime?
    /// The newest packet that was sent.
    private(set) var lastSent: PacketIdentity?
    /// The newest frame that came out.
    private(set) var newestFrame: VideoFrame?
    /// Frames were left out that a seek to this time, or to a later one, does not show.
    private var target: MediaTime?
    /// Everything that was sent was decoded.
    private var isComplete = true

    mutating func send(_ packet: Packet) {
        if lastSent == nil { firstDecodeTime = packet.decodeTime }
        lastSent = PacketIdentity(packet)
    }
    mutating func receive(_ frame: VideoFrame) { newestFrame = frame }

    /// A frame that is not due at `target` may have been left out.
    mutating func allowSkipping(before target: MediaTime) { self.target = max(target, self.target ?? target) }

    /// A packet was refused or left out, or the decoder was drained: it cannot go on.
    mutating func invalidate() { isComplete = false }

    /// Whether the frame due at `time` is the newest one, or has not come out yet.
    func reaches(to time: MediaTime) -> Bool {
        guard isComplete, lastSent?.decode != nil, let newestFrame else { return false }
        return newestFrame.presentationTime <= time && target.map { $0 <= time } ?? true
    }
}

/// Going on with a decoder that has had the first packets of an epoch already: they come again, from the sync
/// point on, and are passed over up to the newest one that was sent.
struct DecoderResumption {
    enum Step {
        /// The decoder has had it.
        case skip
        /// That was the newest one. The next packet is the first that is new.
        case reached
        /// These are not the packets of the first time: decode them all.
        case diverged
    }

    private let began: MediaTime
    private let last: DecoderHistory.PacketIdentity
    private var isFirst = true
    /// What was passed over so far.
    private(set) var skippedElements: [PacketElement] = []

    init?(_ history: DecoderHistory) {
        guard let began = history.firstDecodeTime, let last = history.lastSent else { return nil }
        self.began = began
        self.last = last
    }

    mutating func consume(_ element: PacketElement) -> Step {
        skippedElements.append(element)
        guard case .packet(let packet, _) = element, let time = packet.decodeTime, let end = last.decode,
            !isFirst || packet.isKeyFrame && began <= time
        else { return .diverged }
        isFirst = false
        if DecoderHistory.PacketIdentity(packet) == last { return .reached }
        return time < end ? .skip : .diverged
    }
}
