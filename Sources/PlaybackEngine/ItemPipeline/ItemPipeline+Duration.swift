import MediaCore

/// Correction of the duration from the data.
extension ItemPipeline {
    /// Returns the duration according to the data, which ends at `dataEnd`, or nil if `duration` is correct.
    func correctedDuration(_ duration: MediaTime, dataEnd: MediaTime) -> MediaTime? {
        if durationIsUncertain { return dataEnd == duration ? nil : dataEnd }
        // A track without a declared end may be as long as the declared duration.
        let end = otherEnds.reduce(dataEnd) { max($0, $1 ?? duration) }
        let error = end > duration ? end - duration : duration - end
        return error < Self.padding ? nil : end
    }

    /// Returns the ends of the tracks that are not played and contribute to the duration. Text, data and attached
    /// pictures do not contribute.
    static func ends(of tracks: [Track], without played: [Int]) -> [MediaTime?] {
        tracks.filter { track in
            [.video, .audio].contains(track.mediaType) && !track.isAttachedPicture
                && !played.contains(track.id)
        }
        .map { $0.timeRange.end.isNumeric ? $0.timeRange.end : nil }
    }

    /// The maximum time by which the last packet of an audio codec exceeds what is heard of it.
    private static let padding = MediaTime(value: 1, timescale: 10)
}
