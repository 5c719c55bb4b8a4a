public import MediaCore

/// Decodes the packets of a subtitle or timed metadata track to cues.
///
/// Calls are made one at a time, on one lane. They must not block on I/O.
public protocol TextDecoder: AnyObject, Sendable {
    /// Returns the cues of a packet, usually one or none.
    ///
    /// - Parameter packet: A packet of the track.
    /// - Throws: `MediaError`, which concerns this packet only.
    func decode(_ packet: Packet) throws(MediaError) -> [TextCue]
    /// Discards the state that earlier packets have left.
    func flush()
}
