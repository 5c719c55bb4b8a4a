import MediaCore

/// Where the tracks that are played should end, as far as the container says so outright.
///
/// libav reports the end of a file that was cut off as a natural one; only the times betray it.
struct DeclaredEnd: Sendable {
    /// nil: the container does not say.
    private let time: MediaTime?

    /// `played`: `Track.id` of the tracks.
    init(_ description: MediaDescription, played: Set<Int>) {
        time = Self.time(description, played)
    }

    private static func time(_ description: MediaDescription, _ played: Set<Int>) -> MediaTime? {
        guard !description.durationIsEstimate else { return nil }
        let ends = description.tracks.filter { played.contains($0.id) }.map(\.timeRange.end)
        if let latest = ends.filter(\.isNumeric).max() { return latest }
        let mediaTracks = description.tracks.filter { $0.mediaType == .video || $0.mediaType == .audio }
        // The container's own duration is that of its longest track, which may be switched off.
        guard mediaTracks.allSatisfy({ played.contains($0.id) }), description.duration.isNumeric else {
            return nil
        }
        return description.duration
    }

    /// What to say where the data ends at `end`; nil: that is near enough.
    func truncation(at end: MediaTime) -> MediaError? {
        guard let time else { return nil }
        let missing = time - end
        let allowed = max(MediaTime(value: 1, timescale: 1), time * 0.02)
        guard missing > allowed else { return nil }
        return MediaError(
            .truncated,
            "the data ends at \(Self.text(end)) of \(Self.text(time)): the file was cut off",
            time: end
        )
    }

    private static func text(_ time: MediaTime) -> String {
        Duration.milliseconds((time.nanoseconds ?? 0) / 1_000_000).description
    }
}
