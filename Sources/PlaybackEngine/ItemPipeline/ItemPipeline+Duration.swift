import MediaCore

/// What the data tells of the duration.
extension ItemPipeline {
    /// The duration as the data has it, which ends at `dataEnd`; nil: `duration` is right.
    func correctedDuration(_ duration: MediaTime, dataEnd: MediaTime) -> MediaTime? {
        if durationIsUncertain { return dataEnd == duration ? nil : dataEnd }
        // A track that does not say may be longer, as far as anybody knows.
        let end = otherEnds.reduce(dataEnd) { max($0, $1 ?? duration) }
        let error = end > duration ? end - duration : duration - end
        return error < Self.padding ? nil : end
    }

    /// Of the tracks that have a part in the duration: text, data and attached pictures have none.
    static func ends(of tracks: [Track], without played: [Int]) -> [MediaTime?] {
        tracks.filter { track in
            [.video, .audio].contains(track.mediaType) && !track.isAttachedPicture
                && !played.contains(track.id)
        }
        .map { $0.timeRange.end.isNumeric ? $0.timeRange.end : nil }
    }

    /// By less than this an audio codec's last packet goes beyond what is heard of it.
    private static let padding = MediaTime(value: 1, timescale: 10)
}
