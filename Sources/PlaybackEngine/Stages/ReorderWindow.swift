import MediaCore
import PlayheadBackend

/// Finds where reading of a video track ends whose packets have no decode times, as in Matroska.
///
/// Packets are in decoding order. A frame that is presented after an end may be decoded before frames that are
/// presented before the end, and these may refer to it.
struct ReorderWindow {
    /// The largest number of frames that any codec decodes before a frame and presents after it. Each may be two
    /// fields.
    private static let maximumFrameCount = 16

    /// The number of packets past the end.
    private var count = 0
    /// The time of the first key frame past the end.
    private var keyTime: MediaTime?
    private var hasEnded = false

    /// Records a packet that is presented past the end. Returns whether a packet that is presented before the end may
    /// follow it.
    mutating func mayContinue(after packet: Packet) -> Bool {
        guard packet.decodeTime == nil, let time = packet.presentationTime, !hasEnded else { return false }
        count += 1
        // The frames that are presented before a key frame follow it at once. So does its own second field.
        if let keyTime, time > keyTime, !packet.isField { hasEnded = true }
        if count > (packet.isField ? 2 : 1) * Self.maximumFrameCount { hasEnded = true }
        if packet.isKeyFrame, keyTime == nil { keyTime = time }
        return !hasEnded
    }
}
