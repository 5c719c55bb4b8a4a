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

/// Decrypts a stream of blocks of 16 bytes, in order.
package protocol BlockCipher: AnyObject {
    /// In place; a whole number of blocks.
    func decrypt(_ blocks: UnsafeMutableRawBufferPointer)
}

/// A backend that can read presentations of segments.
package protocol SegmentBackend: MediaBackend {
    /// `request.source` hands out the segments.
    func makeSegmentedDemuxer(for request: OpenRequest) -> any SegmentedDemuxer
    /// AES-128 in CBC mode; `key` and `iv` of 16 bytes each.
    func makeCipher(key: [UInt8], iv: [UInt8]) throws(MediaError) -> any BlockCipher
    /// `demuxer`, which waits for bytes by `wait(_:after:)` alone: where somebody listens to its notices, its calls hold no thread
    /// meanwhile, end with `.notReady`, and go on where they stood when they are made again.
    func makeDemuxer(suspendable demuxer: any Demuxer, location: String) -> any Demuxer
    /// Waits until a source has woken `context` more than `wakes` times, or its reader is interrupted: in a call of a demuxer that can
    /// stand still on no thread, else on this one. True: the call is to come to nothing.
    func wait(_ context: ReadContext, after wakes: UInt64) -> Bool
}
