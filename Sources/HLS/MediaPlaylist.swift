/// The media segments of one variant stream or rendition, in order.
package struct MediaPlaylist: Hashable, Sendable {
    /// The ways in which a playlist may change.
    package enum Kind: Hashable, Sendable {
        /// The playlist does not change (`VOD`).
        case vod
        /// Segments are appended, and none is removed (`EVENT`).
        case event
        /// Segments are appended and removed.
        case live
    }

    package var kind: Kind
    /// Whether no segment will be appended (`EXT-X-ENDLIST`).
    package var hasEnded: Bool
    /// The target duration in microseconds. No segment is longer.
    package var targetDuration: Int64
    package var segments: [PlaylistSegment]
    /// The preferred start in seconds, relative to the beginning, or if negative to the end (`EXT-X-START`).
    package var startOffset: Double?
    /// Whether at least one segment has a date (`EXT-X-PROGRAM-DATE-TIME`).
    package var hasDates: Bool

    /// The start times of the segments in nanoseconds from the first one. Empty while segments are appended.
    package var segmentStarts: [Int64] {
        guard hasEnded else { return [] }
        var time: Int64 = 0
        return segments.map { segment in
            defer { time = time.addingReportingOverflow(segment.duration).partialValue }
            return time.multipliedReportingOverflow(by: 1000).partialValue
        }
    }

    /// The duration of all segments in microseconds.
    package var duration: Int64 {
        segments.reduce(0) { sum, segment in
            let (next, overflow) = sum.addingReportingOverflow(segment.duration)
            return overflow ? .max : next
        }
    }
}
