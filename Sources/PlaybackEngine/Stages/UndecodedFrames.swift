import MediaCore
import PlayheadBackend

/// The frames of a video track that is not watched: each packet becomes a frame without pixels.
///
/// Such frames take the places of decoded ones in the queue of the scheduler. Playback, its ends and its events
/// therefore do not depend on whether the video is decoded.
struct UndecodedFrames {
    private let format: VideoFormat
    /// The frames that a later packet may precede, in presentation order.
    private var held: [VideoFrame] = []
    /// The presentation time of the last frame that was returned.
    private var newestTime: MediaTime?

    /// More frames than any codec reorders. Packets without a decode time do not show which frames are complete.
    private static let maximumHeldCount = 16

    /// Creates frames in the format of the last decoded one.
    init(format: VideoFormat) { self.format = format }

    /// Adds the frame of a packet, unless the packet has no presentation time, has no frame because it is only a
    /// reference, or arrives after a later one was returned.
    ///
    /// - Returns: The frames that no later packet precedes, in presentation order.
    mutating func append(_ packet: Packet) -> [VideoFrame] {
        guard !packet.isDiscarded, let time = packet.presentationTime, newestTime.map({ $0 < time }) ?? true
        else { return [] }
        let frame = VideoFrame(
            format: format,
            presentationTime: time,
            duration: packet.duration ?? .invalid,
            isKeyFrame: packet.isKeyFrame,
            sourceTime: SourceTime(ticks: nil, timeBase: Rational(1, 1)),
            storage: UndecodedStorage.shared
        )
        held.insert(frame, at: held.firstIndex { $0.presentationTime > time } ?? held.endIndex)
        // Later packets have later decode times, and none is presented before it is decoded.
        let complete = packet.decodeTime.map { decode in held.prefix { $0.presentationTime <= decode }.count }
        let count = max(complete ?? 0, held.count - Self.maximumHeldCount)
        defer { held.removeFirst(count) }
        if count > 0 { newestTime = held[count - 1].presentationTime }
        return Array(held.prefix(count))
    }

    /// Removes and returns the remaining frames, because no packet follows them.
    mutating func drain() -> [VideoFrame] {
        defer { (held, newestTime) = ([], nil) }
        return held
    }
}
