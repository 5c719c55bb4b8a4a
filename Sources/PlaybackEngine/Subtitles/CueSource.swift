package import MediaCore
package import PlayheadBackend

/// The source of an item's subtitles or timed metadata.
package struct CueSource: Sendable {
    /// Creates the demuxer. It is called on the control lane.
    package var makeDemuxer: @Sendable (DemuxerOptions) -> any Demuxer
    /// The role of the lane that calls the demuxer.
    package var role = LaneRole.blockingIO
    /// Returns the cues that the header contains, and the track to read, if any.
    package var pick: @Sendable (MediaDescription) throws(MediaError) -> (cues: [TextCue], track: Track?)
    /// Returns the current listeners. It is called on the control lane.
    package var listeners: @Sendable () -> [CueListener]
    /// The location of an external subtitle file, which its errors name; nil if the item itself is read.
    package var location: String?
    /// Whether only subtitles are read of what is opened. The times of HLS subtitles are known only once another
    /// demuxer of the asset has opened its media.
    package var readsOnlySubtitles = false

    package init(
        makeDemuxer: @escaping @Sendable (DemuxerOptions) -> any Demuxer,
        pick: @escaping @Sendable (MediaDescription) throws(MediaError) -> (cues: [TextCue], track: Track?),
        listeners: @escaping @Sendable () -> [CueListener]
    ) {
        self.makeDemuxer = makeDemuxer
        self.pick = pick
        self.listeners = listeners
    }

    /// Returns an error of the source with the location of the external file, if there is one.
    func located(_ error: MediaError) -> MediaError {
        var error = error
        error.location = location ?? error.location
        return error
    }

    /// Returns a source for the subtitles of one track.
    package static func subtitles(
        _ choice: TrackChoice,
        makeDemuxer: @escaping @Sendable (DemuxerOptions) -> any Demuxer,
        listeners: @escaping @Sendable () -> [CueListener]
    ) -> CueSource {
        var source = CueSource(
            makeDemuxer: makeDemuxer,
            pick: { description throws(MediaError) in
                if let track = choice.pick(.subtitle, from: description.tracks) { return ([], track) }
                // No track matches the preferences, so no subtitles are shown.
                if case .preferred = choice { return ([], nil) }
                let name = if case .track(let id) = choice { " \(id)" } else { "" }
                throw MediaError(.invalidArgument, "no subtitle track\(name)")
            },
            listeners: listeners
        )
        source.readsOnlySubtitles = true
        return source
    }

    /// Returns a source for the chapters and for the first readable timed metadata track.
    package static func metadata(
        makeDemuxer: @escaping @Sendable (DemuxerOptions) -> any Demuxer,
        listeners: @escaping @Sendable () -> [CueListener]
    ) -> CueSource {
        CueSource(
            makeDemuxer: makeDemuxer,
            pick: { description in
                let chapters = description.chapters.enumerated().map { index, chapter in
                    TextCue(
                        text: "",
                        timeRange: chapter.timeRange,
                        track: -1,
                        values: ["chapter": "\(index + 1)", "title": chapter.title].compactMapValues(\.self)
                    )
                }
                let track = description.tracks.first { $0.mediaType == .data && $0.codec == "timed_id3" }
                return (chapters, track)
            },
            listeners: listeners
        )
    }
}
