import MediaCore
import PlayheadBackend

/// The packets and frames of the decoder of still images since its last flush, as far as the search needs them.
struct ImageDecoderState {
    /// The newest decoded frame at or before the target.
    var newest: VideoFrame?
    /// A decoded frame that turned out to be later than the target.
    var ahead: VideoFrame?
    private(set) var lastSent: DecoderHistory.PacketIdentity?
    /// The decode time of the first packet.
    private var firstDecodeTime: MediaTime?
    var isDraining = false
    var hasEnded = false
    /// The number of decoded frames.
    var frameCount = 0

    /// Returns whether the frame due at a time is one of the two that are held.
    func holdsFrame(dueAt time: MediaTime) -> Bool {
        guard let newest, newest.presentationTime <= time else { return false }
        return hasEnded || ahead.map { $0.presentationTime > time } ?? false
    }

    /// Returns whether the decoder has already received the sync point before a target, and has not gone past the
    /// target.
    ///
    /// - Parameters:
    ///   - key: The decode time of the sync point.
    ///   - target: The target.
    func canContinue(from key: MediaTime?, to target: ImageTarget) -> Bool {
        guard !target.isSyncPoint, !isDraining, let newest, newest.presentationTime <= target.from,
            let firstDecodeTime, let lastTime = lastSent?.decode, let key
        else { return false }
        // A decoder that started after it may lack the frames in between: not every sync point leads to all
        // later frames.
        return firstDecodeTime <= key && key <= lastTime
    }

    /// Returns the accepted one of the two frames that are held.
    mutating func dueFrame(for target: ImageTarget) -> VideoFrame? {
        guard let newest else {
            newest = ahead
            ahead = nil
            return newest
        }
        if newest.presentationTime < target.from, let next = ahead, next.presentationTime <= target.through {
            self.newest = next
            ahead = nil
            return next
        }
        return newest
    }

    /// Records a packet that was sent to the decoder, or nil for the end of the data.
    mutating func noteSent(_ packet: Packet?) {
        lastSent = packet.map(DecoderHistory.PacketIdentity.init)
        firstDecodeTime = firstDecodeTime ?? packet?.decodeTime
    }
}
