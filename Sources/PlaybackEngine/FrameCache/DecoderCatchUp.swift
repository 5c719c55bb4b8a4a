import MediaCore
import PlayheadBackend

/// Giving a decoder what was answered for it so far, so that it can go on from there.
struct DecoderCatchUp {
    private(set) var packets: ArraySlice<DecoderReplay.Sent>
    /// Before that the decoder still is where it was.
    private(set) var hasBegun = false
    /// What comes out again: so many outputs, or all up to a time.
    private var count = 0
    private var time: MediaTime?

    init(_ replay: DecoderReplay, isVideo: Bool) {
        packets = replay.sent[...]
        guard isVideo, let lastDelivered = replay.lastDelivered, Self.haveTimes(replay.sent) else {
            count = replay.deliveredCount
            // What a seek does not show may have been left out.
            if replay.deliveredCount < replay.output { time = replay.lastDelivered ?? .negativeInfinity }
            return
        }
        // Not by their number: frames that were recorded may be left out this time.
        time = lastDelivered
        if let key = Self.lastSyncPoint(replay.sent, before: lastDelivered) { packets = replay.sent[key...] }
    }

    private static func haveTimes(_ sent: [DecoderReplay.Sent]) -> Bool {
        sent.allSatisfy { $0.packet.map { $0.presentationTime != nil } ?? true }
    }

    /// The last key frame that was given out and that no later packet precedes in presentation order: such
    /// packets refer to frames from before it.
    private static func lastSyncPoint(_ sent: [DecoderReplay.Sent], before time: MediaTime) -> Int? {
        var earliest = MediaTime.positiveInfinity
        for (index, element) in sent.enumerated().reversed() {
            guard let packet = element.packet, let start = packet.presentationTime else { continue }
            if packet.isKeyFrame, start <= time, start <= earliest { return index }
            earliest = min(earliest, start)
        }
        return nil
    }

    mutating func begin() { hasBegun = true }

    func next() -> DecoderReplay.Sent? { packets.first }
    mutating func sent() { packets = packets.dropFirst() }

    /// Whether the output was not handed out yet.
    mutating func isNew(_ output: DecoderOutput) -> Bool {
        if let time, case .video(let frame) = output { return frame.presentationTime > time }
        guard count > 0 else { return true }
        count -= 1
        return false
    }
}
