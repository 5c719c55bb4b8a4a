import MediaCore

/// What the data tells of the duration.
extension ItemPipeline {
    /// The duration as the data has it, which ends at `dataEnd`; nil: `duration` is right.
    func correctedDuration(_ duration: MediaTime, dataEnd: MediaTime) -> MediaTime? {
        if mustLearnDuration { return dataEnd == duration ? nil : dataEnd }
        var end = dataEnd
        for track in description.tracks where !isPlayed(track) {
            // It may be longer, as far as anybody knows.
            end = max(end, track.timeRange.end.isNumeric ? track.timeRange.end : duration)
        }
        let error = end > duration ? end - duration : duration - end
        return error < Self.padding ? nil : end
    }

    /// True also for a track that has no part in the duration: text, data, an attached picture.
    private func isPlayed(_ track: Track) -> Bool {
        guard track.mediaType == .video || track.mediaType == .audio, !track.isAttachedPicture else {
            return true
        }
        return tracks.contains { $0.id == track.id }
    }

    /// By less than this an audio codec's last packet goes beyond what is heard of it.
    private static let padding = MediaTime(value: 1, timescale: 10)
}
