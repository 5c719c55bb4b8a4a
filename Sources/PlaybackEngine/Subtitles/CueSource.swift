package import MediaCore
package import PlayheadBackend

/// Where an item's words, or its timed metadata, come from.
package struct CueSource: Sendable {
    /// Called on a lane of the text's own.
    package var makeDemuxer: @Sendable () -> any Demuxer
    /// The kind of that lane.
    package var role = LaneRole.blockingIO
    /// What is known from the header, and the track to read, if any.
    package var pick: @Sendable (MediaDescription) throws(MediaError) -> (cues: [TextCue], track: Track?)
    /// Who hears of the cues at present; asked on the control lane.
    package var listeners: @Sendable () -> [CueListener]
    /// It needs subtitles, and nothing else of what it opens.
    var readsOnlySubtitles = false

    package init(
        makeDemuxer: @escaping @Sendable () -> any Demuxer,
        pick: @escaping @Sendable (MediaDescription) throws(MediaError) -> (cues: [TextCue], track: Track?),
        listeners: @escaping @Sendable () -> [CueListener]
    ) {
        self.makeDemuxer = makeDemuxer
        self.pick = pick
        self.listeners = listeners
    }

    /// The words of one track.
    package static func subtitles(
        _ choice: TrackChoice,
        makeDemuxer: @escaping @Sendable () -> any Demuxer,
        listeners: @escaping @Sendable () -> [CueListener]
    ) -> CueSource {
        var source = CueSource(
            makeDemuxer: makeDemuxer,
            pick: { description throws(MediaError) in
                if let track = choice.pick(.subtitle, from: description.tracks) { return ([], track) }
                // Nothing fits what is preferred: no words.
                if case .preferred = choice { return ([], nil) }
                let name = if case .track(let id) = choice { " \(id)" } else { "" }
                throw MediaError(.invalidArgument, "there is no track of text\(name)")
            },
            listeners: listeners
        )
        source.readsOnlySubtitles = true
        return source
    }

    /// Chapters, and the first track of data that can be read.
    package static func metadata(
        makeDemuxer: @escaping @Sendable () -> any Demuxer,
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
