/// The segments of one rendering, in order.
package struct MediaPlaylist: Hashable, Sendable {
    /// Segments may be added, or taken off the front.
    package enum Kind: Hashable, Sendable {
        /// Nothing changes any more.
        case vod
        /// Segments are added, and none goes.
        case event
        /// Segments come and go.
        case live
    }

    package var kind: Kind
    /// No segment is added any more.
    package var hasEnded: Bool
    /// No segment is longer, in microseconds.
    package var targetDuration: Int64
    package var segments: [PlaylistSegment]
    /// Seconds from the start, or, negative, from the end, at which playing is to begin.
    package var startOffset: Double?
    /// At least one segment says when it happened.
    package var hasDates: Bool

    /// In nanoseconds from the first one. Empty while more segments come.
    package var segmentStarts: [Int64] {
        guard hasEnded else { return [] }
        var time: Int64 = 0
        return segments.map { segment in
            defer { time = time.addingReportingOverflow(segment.duration).partialValue }
            return time.multipliedReportingOverflow(by: 1000).partialValue
        }
    }

    /// Of all segments, in microseconds.
    package var duration: Int64 {
        segments.reduce(0) { sum, segment in
            let (next, overflow) = sum.addingReportingOverflow(segment.duration)
            return overflow ? .max : next
        }
    }
}
