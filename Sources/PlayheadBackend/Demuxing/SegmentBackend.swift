package import MediaCore

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
