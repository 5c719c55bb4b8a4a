internal import MediaCore

/// A media playlist of a presentation, open or only declared.
final class PresentationPlaylist {
    let url: String
    /// The position among all playlists of the presentation.
    let index: Int
    /// The first of its track IDs.
    let firstTrackID: Int
    /// The indices of the master playlist's variant streams that use this media playlist.
    var variants: [Int] = []
    /// The tracks that the master playlist declares.
    private(set) var declaredTracks: [Track] = []
    /// The rendition that the playlist belongs to.
    private(set) var declaredRendition: MasterPlaylist.Rendition?
    /// The audio rendition without a playlist that the segments of a variant stream contain.
    private var ownAudio: MasterPlaylist.Rendition?
    /// The open rendition, or nil.
    var rendition: Rendition?
    /// Whether the playlist contains subtitles.
    private(set) var isSubtitles = false
    /// The open subtitle rendition, or nil.
    var subtitles: SubtitleRendition?
    /// The error of the last attempt to open it.
    var failure: MediaError?
    /// The loading of the playlist in progress.
    var load: PlaylistLoad?

    init(url: String, index: Int) {
        self.url = url
        self.index = index
        firstTrackID = index * HLSPresentation.stride
    }

    /// Declares the tracks of a variant stream. `audio` is the rendition that its segments contain, or nil if the
    /// master playlist declares none.
    func declare(_ variant: MasterPlaylist.Variant, hasAudio: Bool, audio: MasterPlaylist.Rendition?) {
        ownAudio = audio
        var kinds = variant.codecs.compactMap(CodecName.init)
        // Without a CODECS attribute, assume the most common codecs.
        if kinds.isEmpty { kinds = [CodecName(.video, "h264"), CodecName(.audio, "aac")] }
        if !hasAudio { kinds.removeAll { $0.type == .audio } }
        declaredTracks = kinds.prefix(8).enumerated().map { index, kind in
            var track = Track(
                id: firstTrackID + index,
                mediaType: kind.type,
                codec: kind.name,
                timeBase: Rational(1, 90_000)
            )
            if kind.type == .video {
                track.naturalSize = PixelSize(width: variant.width, height: variant.height)
            }
            if kind.type == .audio, let audio { track.describe(audio) }
            return track
        }
    }

    /// Declares the track of an audio rendition. `codec` is FFmpeg's name, or nil if the master playlist does not say.
    func declare(_ rendition: MasterPlaylist.Rendition, codec: String?) {
        declaredRendition = rendition
        var track = Track(
            id: firstTrackID,
            mediaType: .audio,
            codec: codec ?? "aac",
            timeBase: Rational(1, 90_000)
        )
        track.describe(rendition)
        declaredTracks = [track]
    }

    /// Declares the track of a subtitle rendition.
    func declare(subtitles rendition: MasterPlaylist.Rendition) {
        isSubtitles = true
        declaredRendition = rendition
        var track = Track(
            id: firstTrackID,
            mediaType: .subtitle,
            codec: "webvtt",
            timeBase: Rational(1, 1000)
        )
        track.describe(rendition)
        track.isForced = rendition.isForced
        track.reportsProgress = true
        declaredTracks = [track]
    }

    /// Returns the actual tracks if the playlist is open, and otherwise the declared ones.
    func tracks(zero: MediaTime) -> [Track] {
        guard let rendition else {
            return declaredTracks.map { track in
                var track = track
                track.playlistIndex = index
                track.unplayableReason = failure?.message
                return track
            }
        }
        let firstAudio = rendition.description.tracks.first { $0.mediaType == .audio }?.id
        return rendition.description.tracks.map { own in
            var track = own
            track.id = rendition.trackIDs[own.id] ?? firstTrackID + own.id
            track.playlistIndex = index
            // Item times are derived from container times. The end of a segment's track is unknown.
            let start = own.timeRange.start + rendition.startTime - zero
            track.timeRange = MediaTimeRange(start: max(.zero, start), duration: .indefinite)
            if let declared = declaredRendition ?? (own.id == firstAudio ? ownAudio : nil) {
                track.describe(declared)
            }
            return track
        }
    }

    /// Assigns the declared track IDs to the tracks of a rendition that was opened later.
    func bind() {
        guard let rendition else { return }
        var free = declaredTracks
        for own in rendition.description.tracks {
            guard let index = free.firstIndex(where: { $0.mediaType == own.mediaType }) else { continue }
            rendition.rename(own.id, free.remove(at: index).id)
        }
    }
}

extension Track {
    /// Sets the properties that the master playlist declares for the rendition of the track.
    fileprivate mutating func describe(_ rendition: MasterPlaylist.Rendition) {
        language = rendition.language ?? language
        isDefault = rendition.isDefault
        if !rendition.name.isEmpty { title = rendition.name }
        if mediaType == .audio, channelCount == 0, let count = rendition.channelCount, count > 0 {
            channelLayout = ChannelLayout(channelCount: count, name: "")
        }
    }
}
