package import MediaCore

/// The segments of a live presentation that the server offers now, on the item's timeline.
package struct LiveWindow: Hashable, Sendable {
    /// The range of the segments.
    package var range: MediaTimeRange
    /// Whether segments are removed at the start (no `EXT-X-PLAYLIST-TYPE`). Otherwise the range only grows (`EVENT`).
    package var slides: Bool
    /// Whether no segment will be added any more (`EXT-X-ENDLIST`).
    package var hasEnded: Bool
    /// The target duration of the segments.
    package var targetDuration: MediaTime
    /// The offset from the end of the range at which the server expects clients to play: `HOLD-BACK`, or three target
    /// durations.
    package var recommendedOffset: MediaTime
    /// The time of the playlist in nanoseconds of the network's clock.
    package var updateTime: Int64
    /// The dates of the segments, in item time.
    package var dates: [DateSpan]

    /// Creates a window.
    ///
    /// - Parameters:
    ///   - range: The range of the segments.
    ///   - slides: Whether segments are removed at the start.
    ///   - hasEnded: Whether no segment will be added.
    ///   - targetDuration: The target duration of the segments.
    ///   - recommendedOffset: The recommended offset from the end of the range.
    ///   - updateTime: The time of the playlist in nanoseconds of the network's clock.
    ///   - dates: The dates of the segments, in item time.
    package init(
        range: MediaTimeRange,
        slides: Bool,
        hasEnded: Bool,
        targetDuration: MediaTime,
        recommendedOffset: MediaTime,
        updateTime: Int64,
        dates: [DateSpan] = []
    ) {
        self.range = range
        self.slides = slides
        self.hasEnded = hasEnded
        self.targetDuration = targetDuration
        self.recommendedOffset = recommendedOffset
        self.updateTime = updateTime
        self.dates = dates
    }

    /// Returns the range at a later time, which is estimated: a live presentation grows by one second in each second.
    ///
    /// - Parameter now: The time in nanoseconds of the network's clock.
    package func estimatedRange(at now: Int64) -> MediaTimeRange {
        guard !hasEnded, now > updateTime else { return range }
        let passed = MediaTime(nanoseconds: now.subtractingClamped(updateTime))
        let start = slides ? range.start + passed : range.start
        return MediaTimeRange(start: start, end: range.end + passed)
    }

    /// Returns the position at an offset from the live edge, but not before the start of the range.
    ///
    /// - Parameters:
    ///   - offset: The offset, or nil for the recommended one.
    ///   - now: The time in nanoseconds of the network's clock.
    package func livePosition(offset: MediaTime?, at now: Int64) -> MediaTime {
        let range = estimatedRange(at: now)
        return max(range.start, range.end - max(.zero, offset ?? recommendedOffset))
    }

    /// Returns the position at which playback continues after a pause or a stall, or nil if it continues where it is.
    ///
    /// It returns to the live position if the segments after `time` are no longer offered, or if the offset from the
    /// live edge must be preserved and has grown by more than a target duration.
    ///
    /// - Parameters:
    ///   - time: The position at which playback has stopped.
    ///   - offset: The offset from the live edge, or nil for the recommended one.
    ///   - preservesOffset: Whether the offset must be preserved.
    ///   - now: The time in nanoseconds of the network's clock.
    package func resumePosition(
        after time: MediaTime,
        offset: MediaTime?,
        preservesOffset: Bool,
        at now: Int64
    ) -> MediaTime? {
        guard !hasEnded else { return nil }
        let position = livePosition(offset: offset, at: now)
        let limit = time + targetDuration
        // The start is an estimate as well.
        let isLost = limit < estimatedRange(at: now).start || time < range.start
        return isLost || preservesOffset && limit < position ? position : nil
    }
}
