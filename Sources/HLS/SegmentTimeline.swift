internal import MediaCore

/// The item times of the segments of a rendition.
///
/// Confined to the lane of its demuxer.
struct SegmentTimeline {
    private let source: SegmentSource
    private let resources: PresentationResources
    /// The time of the source's timeline that corresponds to item time zero, in microseconds.
    private var origin: Int64 = 0
    /// The index of the segment that was read when the last packet was returned.
    private var readIndex = 0
    /// The end of the audio and video packets of that segment, or nil if none was returned.
    private var readEnd: MediaTime?
    /// The end of those packets of the segment before it. Its last packets are returned when the next one has begun.
    private var earlierEnd: MediaTime?
    /// The end of all packets before the break at which reading continues, or nil after a jump.
    private var breakEnd: MediaTime?

    /// The difference between segments and media that is not corrected in any case, in microseconds. Tracks are
    /// interleaved.
    private static let leastCorrection: Int64 = 1_000_000
    /// The same at a discontinuity of a presentation that is not live, where all packets before it have been returned.
    /// Tracks end at different times.
    private static let leastGap: Int64 = 100_000
    /// The maximum error of a duration that is rounded to seconds, in microseconds.
    private static let roundingError: Int64 = 500_000

    init(_ source: SegmentSource, _ resources: PresentationResources) {
        self.source = source
        self.resources = resources
    }

    /// The duration from the first segment at the time of opening to item time zero.
    var originTime: MediaTime { MediaTime(value: origin, timescale: 1_000_000) }

    /// Returns the item time of a segment.
    func start(of index: Int) -> MediaTime {
        MediaTime(value: source.start(of: index).subtractingClamped(origin), timescale: 1_000_000)
    }

    /// Returns the index of the last available segment that begins at or before the time.
    func index(at time: MediaTime) -> Int {
        let found = declaredIndex(at: time)
        guard source.segment(at: found)?.isGap == true else { return found }
        return source.availableIndex(before: found) ?? found
    }

    /// Returns the index of the last segment that begins at or before the time, also of a gap.
    private func declaredIndex(at time: MediaTime) -> Int {
        var index = source.firstAvailableIndex
        var end = start(of: index).microseconds
        let goal = time.microseconds
        while let segment = source.segment(at: index) {
            end = end.addingClamped(segment.duration)
            if end > goal || source.segment(at: index + 1) == nil { return index }
            index += 1
        }
        return index
    }

    /// The segments that a live playlist has now.
    var window: LiveWindow {
        let playlist = source.playlist
        let first = start(of: source.firstAvailableIndex)
        let begin = max(.zero, first)
        return LiveWindow(
            range: MediaTimeRange(start: begin, end: max(begin, start(of: source.endIndex))),
            slides: playlist.kind == .live,
            hasEnded: playlist.hasEnded,
            targetDuration: MediaTime(value: playlist.targetDuration, timescale: 1_000_000),
            recommendedOffset: MediaTime(value: playlist.recommendedOffset, timescale: 1_000_000),
            updateTime: source.playlistTime,
            dates: playlist.dates.map { span in
                var span = span
                span.timeRange.start = first + span.timeRange.start
                return span
            }
        )
    }

    /// Moves the segments so that one of them begins at an item time.
    mutating func move(_ index: Int, to time: MediaTime) {
        origin = source.start(of: index).subtractingClamped(time.microseconds)
    }

    // MARK: Following the media

    /// Adds the end of an audio or video packet of the segment that is read.
    mutating func extend(to end: MediaTime) { readEnd = max(readEnd ?? end, end) }

    /// Discards that end, because the segment that is read next need not be the following one.
    mutating func noteJump() {
        readEnd = nil
        earlierEnd = nil
        breakEnd = nil
    }

    /// Keeps that end for `mediaEnd(before:)`, because reading continues with the segment after a break.
    mutating func noteBreak() {
        let end = [earlierEnd, readEnd].compactMap(\.self).max()
        noteJump()
        breakEnd = end
    }

    /// Returns the end of the media before a segment if they have been read up to it, or otherwise nil. Returns nil for
    /// live presentations, in which the segments are moved.
    func mediaEnd(before index: Int) -> MediaTime? {
        guard resources.liveWindow == nil, source.segment(at: index - 1)?.isGap == false else { return nil }
        return breakEnd
    }

    /// Returns the item time of a segment after a discontinuity that is read after media that end at `end`: this end if
    /// the playlist declares another start because its durations are rounded to seconds, and otherwise the declared
    /// start. Without the correction the last frame would be shown longer, or frames would be dropped.
    func start(of index: Int, after end: MediaTime) -> MediaTime {
        let declared = start(of: index)
        let difference = declared.microseconds.subtractingClamped(end.microseconds)
        guard difference.magnitude > Self.leastGap.magnitude else { return declared }
        var rest = Int64(clamping: difference.magnitude)
        var earlier = index - 1
        while rest > 0, let segment = source.segment(at: earlier) {
            if segment.duration.isMultiple(of: 1_000_000) { rest -= Self.roundingError }
            earlier -= 1
        }
        return rest > 0 ? declared : end
    }

    /// Moves the times of the segments next to those of the media if they differ by more than a target duration. The
    /// durations in a playlist are rounded, so the difference grows as long as a live presentation is played.
    mutating func followMedia() {
        guard source.index != readIndex else { return }
        // The next segment has begun, so all packets of those before have been returned but the last ones.
        if source.index == readIndex + 1, resources.liveWindow != nil, let readEnd {
            let start = start(of: source.index).microseconds
            let difference = start.subtractingClamped(readEnd.microseconds)
            let limit = max(source.playlist.targetDuration, Self.leastCorrection)
            if difference.magnitude > limit.magnitude { move(source.index, to: readEnd) }
        }
        readIndex = source.index
        earlierEnd = readEnd
        readEnd = nil
    }
}
