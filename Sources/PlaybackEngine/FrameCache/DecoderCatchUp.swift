import MediaCore
import PlayheadBackend

/// Sends a decoder the packets whose output came from the cache, so that the decoder can continue from there.
///
/// It is a class for the same reason as `DecoderReplay`.
final class DecoderCatchUp {
    private(set) var packets: ArraySlice<DecoderReplay.Sent>
    /// False while the decoder is still in its old state.
    private(set) var hasBegun = false
    /// The output to drop because it has already been delivered: a number of outputs, or all frames up to a
    /// time.
    private var count = 0
    private var time: MediaTime?

    init(_ replay: DecoderReplay, isVideo: Bool) {
        packets = replay.sent[...]
        guard isVideo, let lastDelivered = replay.lastDelivered, Self.haveTimes(replay.sent) else {
            count = replay.deliveredCount
            // Frames that a seek does not show may have been skipped.
            if replay.deliveredCount < replay.output { time = replay.lastDelivered ?? .negativeInfinity }
            return
        }
        // Compared by time and not by number, because recorded frames may be skipped this time.
        time = lastDelivered
        if let key = Self.lastSyncPoint(replay.sent, before: lastDelivered) { packets = replay.sent[key...] }
    }

    private static func haveTimes(_ sent: [DecoderReplay.Sent]) -> Bool {
        sent.allSatisfy { $0.packet.map { $0.presentationTime != nil } ?? true }
    }

    /// Returns the last key frame that was delivered and that no later packet precedes in presentation order.
    /// Such packets refer to frames before it.
    private static func lastSyncPoint(_ sent: [DecoderReplay.Sent], before time: MediaTime) -> Int? {
        var earliest = MediaTime.positiveInfinity
        for (index, element) in sent.enumerated().reversed() {
            guard let packet = element.packet, let start = packet.presentationTime else { continue }
            if packet.isKeyFrame, start <= time, start <= earliest { return index }
            earliest = min(earliest, start)
        }
        return nil
    }

    func begin() { hasBegun = true }

    func next() -> DecoderReplay.Sent? { packets.first }
    func sent() { packets = packets.dropFirst() }

    /// Returns whether the output has not been delivered yet.
    func isNew(_ output: DecoderOutput) -> Bool {
        if let time, case .video(let frame) = output { return frame.presentationTime > time }
        guard count > 0 else { return true }
        count -= 1
        return false
    }
}
