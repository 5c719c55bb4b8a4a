internal import MediaCore
internal import PlayheadBackend

/// The kind of timestamps that a run has: those of its container, or those of the ID3 tags of packed audio.
struct RunTimestamps {
    /// The start of the first segment according to its ID3 tag if it is packed audio, or nil.
    let tagTime: MediaTime?
    private let formatName: String

    /// Creates the timestamps of a run.
    ///
    /// - Parameters:
    ///   - description: The description by the demuxer of the run.
    ///   - timestamp: The timestamp of the ID3 tag in ticks of 1/90000 s. See `SegmentSource.timestamp`.
    init(_ description: MediaDescription, _ timestamp: Int64?) {
        tagTime = timestamp.map { MediaTime(value: $0, timescale: 90_000) }
        formatName = description.formatName
    }

    /// Whether the demuxer must be opened again after each jump. A segment can be an MP4 file of its own, without a
    /// map.
    var needsReopening: Bool { tagTime != nil || formatName.hasPrefix("mov") }

    /// Returns the offset of times that may have wrapped around, in whole cycles. Demuxers count them from the cycle in
    /// which they were opened.
    func cycles(from startTime: MediaTime, to expected: MediaTime) -> MediaTime {
        guard formatName == "mpegts" || tagTime != nil else { return .zero }
        return TimestampCycle.offset(of: startTime, near: expected)
    }
}
