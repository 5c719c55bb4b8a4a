package import MediaCore

/// A demuxer whose source delivers the segments of a presentation (HLS) one after the other, forward only.
///
/// The source performs seeks: it moves to another segment, counts its bytes from 0 again, and `restart(at:)`
/// informs the demuxer. Tracks and decoders are kept.
///
/// Only `read()` returns `.pending`, so that all renditions of a presentation request bytes before one of them waits.
/// The other calls wait with `ReadContext.wait(after:)`: the demuxer of the presentation is suspended as a whole
/// (`FiberDemuxer`).
package protocol SegmentedDemuxer: Demuxer {
    /// Discards the data that was read and not yet returned, because the next byte of the source is byte 0 at
    /// another position. Reading may continue after an interrupted call.
    ///
    /// - Parameter time: The item time of that position, to within hours. Timestamps that wrap around continue there.
    /// - Throws: `MediaError` if reading cannot continue.
    func restart(at time: MediaTime) throws(MediaError)
    /// Maps the times of the container to the timeline of the item. It is called after `open()` and
    /// `continueTracks(of:enabled:)`, and before decoders are made.
    ///
    /// - Parameters:
    ///   - zero: The container time that corresponds to zero on the item's timeline.
    ///   - shift: An offset that is added to container times first, after a discontinuity of the timestamps.
    func setTimeline(zero: MediaTime, shift: MediaTime)
    /// Continues the tracks of the demuxer that read the preceding segments: packets have its track numbers and
    /// go to its decoders. It is called after `open()`.
    ///
    /// - Parameters:
    ///   - other: The demuxer that read the preceding segments.
    ///   - enabled: The `Track.id` of each enabled track.
    /// - Throws: `MediaError` if the two demuxers have different kinds of tracks.
    func continueTracks(of other: any SegmentedDemuxer, enabled: Set<Int>) throws(MediaError)
}
