package import MediaCore

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
    /// Whether no segment will be appended (`EXT-X-ENDLIST`, or the type `VOD`).
    package var hasEnded: Bool
    /// The target duration in microseconds. No segment is longer.
    package var targetDuration: Int64
    /// The minimum offset from the end of a live playlist at which to play, in microseconds, or nil if the server
    /// declares none (`EXT-X-SERVER-CONTROL`).
    package var holdBack: Int64?
    package var segments: [PlaylistSegment]
    /// The preferred start, or nil if the playlist declares none.
    package var start: PlaylistStart?

    /// The offset from the end of a live playlist at which to play, in microseconds: three target durations, unless the
    /// server declares another one (RFC 8216, section 6.3.3).
    package var recommendedOffset: Int64 {
        holdBack ?? targetDuration.multipliedReportingOverflow(by: 3).partialValue
    }

    /// Returns the time of a preferred start in microseconds from the first segment. It lies within the playlist, and
    /// while segments are appended not nearer to the end than the recommended offset (RFC 8216, section 4.3.5.2).
    func time(of start: PlaylistStart) -> Int64 {
        let end: Int64 = segments.reduce(0) { $0.addingClamped($1.duration) }
        let time = start.offset < 0 ? end.addingClamped(start.offset) : start.offset
        return max(0, min(time, hasEnded ? end : end.subtractingClamped(recommendedOffset)))
    }

    /// The start times of the segments in nanoseconds from the first one. Empty while segments are appended.
    package var segmentStarts: [Int64] {
        guard hasEnded else { return [] }
        var time: Int64 = 0
        return segments.map { segment in
            defer { time = time.addingReportingOverflow(segment.duration).partialValue }
            return time.multipliedReportingOverflow(by: 1000).partialValue
        }
    }

    /// The duration in microseconds, up to the end of the last segment that is available.
    package var duration: Int64 {
        let count = (segments.lastIndex { !$0.isGap } ?? -1) + 1
        return segments[..<count].reduce(0) { $0.addingClamped($1.duration) }
    }
    /// The dates on a timeline that begins with the first segment. The date of a segment without its own follows from
    /// the segment before. Dates of segments before the first date are counted back from it.
    package var dates: [DateSpan] {
        // All in nanoseconds.
        var spans: [(start: Int64, end: Int64, date: Int64?)] = []
        var end: Int64 = 0
        for segment in segments {
            let start = end
            // The parser accepts durations up to a year.
            end = start.addingClamped(segment.duration.multipliedReportingOverflow(by: 1000).partialValue)
            if let last = spans.last {
                // A date that continues the previous one does not begin another span.
                let continued = last.date?.addingClamped(start - last.start)
                if segment.date == nil || segment.date == continued {
                    spans[spans.count - 1].end = end
                    continue
                }
            }
            spans.append((start, end, segment.date))
        }
        if spans.count > 1, spans[0].date == nil, let next = spans[1].date {
            spans[0].date = next.subtractingClamped(spans[0].end)
        }
        return spans.compactMap { span in
            guard let date = span.date, span.end > span.start else { return nil }
            return DateSpan(
                timeRange: MediaTimeRange(
                    start: MediaTime(nanoseconds: span.start),
                    end: MediaTime(nanoseconds: span.end)
                ),
                nanosecondsSince1970: date
            )
        }
    }
}
