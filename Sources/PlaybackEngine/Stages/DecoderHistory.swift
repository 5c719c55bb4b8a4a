import MediaCore
import PlayheadBackend

/// What a video decoder was given, and gave, since it was flushed. A seek to a time a little ahead goes on from
/// there instead of decoding from the sync point once more.
struct DecoderHistory {
    /// A packet that is read again is known by these.
    struct Mark: Equatable {
        let presentation, decode: MediaTime?
        let byteCount: Int

        init(_ packet: Packet) {
            presentation = packet.presentationTime
            decode = packet.decodeTime
            byteCount = packet.byteCount
        }
    }

    /// When the first packet that was sent is decoded.
    private(set) var began: MediaTime?
    /// The newest packet that was sent.
    private(set) var sent: Mark?
    /// The newest frame that came out.
    private(set) var newest: VideoFrame?
    /// Frames were left out that a seek to this time, or to a later one, does not show.
    private var target: MediaTime?
    /// Everything that was sent was decoded.
    private var isWhole = true

    mutating func send(_ packet: Packet) {
        if sent == nil { began = packet.decodeTime }
        sent = Mark(packet)
    }
    mutating func came(_ frame: VideoFrame) { newest = frame }

    /// A frame that is not due at `target` may have been left out.
    mutating func leaveOut(for target: MediaTime) { self.target = max(target, self.target ?? target) }

    /// A packet was refused or left out, or the decoder was drained: it cannot go on.
    mutating func spoil() { isWhole = false }

    /// Whether the frame due at `time` is the newest one, or has not come out yet.
    func leads(to time: MediaTime) -> Bool {
        guard isWhole, sent?.decode != nil, let newest else { return false }
        return newest.presentationTime <= time && target.map { $0 <= time } ?? true
    }
}

/// Going on with a decoder that has had the first packets of an epoch already: they come again, from the sync
/// point on, and are passed over up to the newest one that was sent.
struct DecoderResumption {
    enum Step {
        /// The decoder has had it.
        case passOver
        /// That was the newest one. The next packet is the first that is new.
        case reached
        /// These are not the packets of the first time: decode them all.
        case diverged
    }

    private let began: MediaTime
    private let last: DecoderHistory.Mark
    private var isFirst = true
    /// What was passed over so far.
    private(set) var passed: [PacketElement] = []

    init?(_ run: DecoderHistory) {
        guard let began = run.began, let last = run.sent else { return nil }
        self.began = began
        self.last = last
    }

    mutating func take(_ element: PacketElement) -> Step {
        passed.append(element)
        guard case .packet(let packet, _) = element, let time = packet.decodeTime, let end = last.decode,
            !isFirst || packet.isKeyFrame && began <= time
        else { return .diverged }
        isFirst = false
        if DecoderHistory.Mark(packet) == last { return .reached }
        return time < end ? .passOver : .diverged
    }
}
