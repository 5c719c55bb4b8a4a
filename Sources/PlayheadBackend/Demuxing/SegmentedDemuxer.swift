package import MediaCore

/// A demuxer whose source hands out one segment of a presentation after the other (HLS), forward only.
///
/// A seek is the source's business: it goes to another segment, counts its bytes from 0 again, and `restart()` tells the
/// demuxer. Tracks and decoders stay what they are.
package protocol SegmentedDemuxer: Demuxer {
    /// The source's next byte is byte 0 of another place: what was read and not handed out is forgotten. After a call that was
    /// interrupted reading may go on.
    func restart() throws(MediaError)
    /// `zero`: the container's own time that is zero on the item's timeline. `shift` is added to the container's times before:
    /// behind a break in the time stamps. After `open()` and `takeOver(from:enabled:)`, before decoders are made.
    func setTimeline(zero: MediaTime, shift: MediaTime)
    /// Packets go to the decoders of `other`, which read the segments before, and bear its tracks' numbers. Throws where the
    /// kinds of tracks are not the same. After `open()`.
    func takeOver(from other: any SegmentedDemuxer, enabled: Set<Int>) throws(MediaError)
}
