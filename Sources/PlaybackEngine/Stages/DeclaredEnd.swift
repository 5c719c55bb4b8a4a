import MediaCore

/// The end time of the enabled tracks, if the container declares it explicitly.
///
/// libav reports the end of a truncated file as a regular end of file; only the times reveal the truncation. A playlist
/// (HLS) declares no end in this sense: the durations of its segments may be rounded to seconds, and a segment that
/// cannot be read is an error of its own.
struct DeclaredEnd: Sendable {
    /// The declared end, or nil if the container declares none.
    private let time: MediaTime?
    /// The difference that is always allowed.
    private let tolerance: MediaTime
    /// The part of the declared end that is allowed, too.
    private let relativeTolerance: Double

    /// Creates the declared end.
    ///
    /// - Parameters:
    ///   - description: The description of the container.
    ///   - played: The `Track.id` of each enabled track.
    init(_ description: MediaDescription, played: Set<Int>) {
        let ends = description.tracks.filter { played.contains($0.id) }.map(\.timeRange.end)
        let latest = description.durationIsEstimate ? nil : ends.filter(\.isNumeric).max()
        time = latest ?? Self.end(description, played)
        // The last subtitle often ends seconds after the media, and then determines the duration of the container.
        let isOfSubtitles = latest == nil && description.tracks.contains { $0.mediaType == .subtitle }
        let isExact = description.durationIsExact
        tolerance = MediaTime(value: isOfSubtitles ? 100 : isExact ? 1 : 10, timescale: 10)
        relativeTolerance = isExact ? 0 : 0.02
    }

    /// Returns the end of the container if that is the end of the enabled tracks.
    private static func end(_ description: MediaDescription, _ played: Set<Int>) -> MediaTime? {
        guard !description.durationIsEstimate, !description.durationIsRounded else { return nil }
        let mediaTracks = description.tracks.filter { $0.mediaType == .video || $0.mediaType == .audio }
        // The container's duration is that of its longest track, which may be disabled.
        guard mediaTracks.allSatisfy({ played.contains($0.id) }), description.duration.isNumeric else {
            return nil
        }
        return description.duration
    }

    /// Returns the error to report if the data ends at `end`, or nil if that is close enough to the declared
    /// end.
    ///
    /// The tolerance is the larger of one second, ten if subtitles may end last, and 2 % of the declared end. If the
    /// container declares the number of samples, it is 0.1 s.
    func truncation(at end: MediaTime) -> MediaError? {
        guard let time else { return nil }
        let missing = time - end
        let allowed = max(tolerance, time * relativeTolerance)
        guard missing > allowed else { return nil }
        return MediaError(
            .truncated,
            "file truncated: the data ends at \(Self.text(end)) of \(Self.text(time))",
            time: end
        )
    }

    private static func text(_ time: MediaTime) -> String {
        Duration.milliseconds((time.nanoseconds ?? 0) / 1_000_000).description
    }
}
