public import MediaCore

/// Turns packets of a track of text, or of timed metadata, into cues. Calls come one at a time, and never block on I/O.
public protocol TextDecoder: AnyObject, Sendable {
    /// What the packet says, mostly one cue or none. An error concerns this packet only.
    func decode(_ packet: Packet) throws(MediaError) -> [TextCue]
    /// Forgets what it was given.
    func flush()
}
