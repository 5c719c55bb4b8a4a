internal import MediaCore
internal import PlayheadBackend

/// A demuxer, and the segment with which it opens.
struct SegmentRun {
    let demuxer: any SegmentedDemuxer
    var segment: PlaylistSegment
    /// The item time of the segment with which the run opens.
    var start = MediaTime.zero
    /// Whether that segment is the first one after a discontinuity.
    var followsDiscontinuity = false
    /// The discontinuity sequence number of the media that were read up to that discontinuity, or nil after a jump.
    var continuedSequence: Int64?
    /// Whether the start is the end of these media, not the declared start.
    var isCorrected = false
    var isOpen = false
    /// The enabled tracks of the first run that the demuxer continues, or nil if it is not open.
    var continuedTracks: Set<Int>?

    /// Whether the demuxer must be opened again after each jump. Packed audio has no timestamps, and libav's MP4
    /// demuxer keeps fragments of the previous position.
    var needsReopening = false

    /// Returns true if the demuxer can continue with the segment.
    ///
    /// libav takes timestamps more than a minute before the first one for timestamps that have wrapped around (33
    /// bits), so the demuxer reads no earlier segment.
    func canRead(_ other: PlaylistSegment) -> Bool {
        !needsReopening && segment.map == nil && other.map == nil
            && other.discontinuity == segment.discontinuity && other.sequence >= segment.sequence
    }

    /// Sets the segment with which the run opens. Does nothing if the segment is not in the playlist.
    mutating func setFirst(_ index: Int, of source: SegmentSource, _ timeline: SegmentTimeline) {
        guard let segment = source.segment(at: index) else { return }
        self.segment = segment
        start = timeline.start(of: index)
        followsDiscontinuity = source.followsDiscontinuity(index)
        continuedSequence = nil
        isCorrected = false
        guard followsDiscontinuity, let end = timeline.mediaEnd(before: index) else { return }
        continuedSequence = source.segment(at: index - 1)?.discontinuity
        let declared = start
        start = timeline.start(of: index, after: end)
        isCorrected = start != declared
    }
}
