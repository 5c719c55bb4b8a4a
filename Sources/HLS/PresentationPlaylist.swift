internal import MediaCore

/// A playlist of a presentation.
final class PresentationPlaylist {
    let url: String
    /// The first number of its tracks.
    let base: Int
    /// Of the master playlist, those that it renders.
    var variants: [Int] = []
    /// What is known of it before it is opened.
    private(set) var expected: [Track] = []
    private(set) var rendered: MasterPlaylist.Rendition?
    /// nil: it is not open.
    var rendition: Rendition?
    /// It holds words.
    private(set) var isSubtitles = false
    /// The same for words.
    var subtitles: SubtitleRendition?
    /// Why it cannot be.
    var failure: MediaError?
    /// It is being fetched.
    var read: PlaylistLoad?

    init(url: String, index: Int) {
        self.url = url
        base = index * HLSPresentation.stride
    }

    func expect(_ variant: MasterPlaylist.Variant, hasAudio: Bool) {
        var kinds = variant.codecs.compactMap(CodecName.init)
        // Most playlists that name no codecs hold the usual ones.
        if kinds.isEmpty { kinds = [CodecName(.video, "h264"), CodecName(.audio, "aac")] }
        if !hasAudio { kinds.removeAll { $0.type == .audio } }
        expected = kinds.prefix(8).enumerated().map { index, kind in
            var track = Track(
                id: base + index,
                mediaType: kind.type,
                codec: kind.name,
                timeBase: Rational(1, 90_000)
            )
            if kind.type == .video {
                track.naturalSize = PixelSize(width: variant.width, height: variant.height)
            }
            return track
        }
    }

    func expect(_ rendition: MasterPlaylist.Rendition, _ master: MasterPlaylist) {
        rendered = rendition
        let codecs = master.variants.first { $0.audioGroup == rendition.group }?.codecs ?? []
        let name = codecs.compactMap(CodecName.init).first { $0.type == .audio }?.name ?? "aac"
        var track = Track(id: base, mediaType: .audio, codec: name, timeBase: Rational(1, 90_000))
        track.language = rendition.language
        track.title = rendition.name.isEmpty ? nil : rendition.name
        track.isDefault = rendition.isDefault
        expected = [track]
    }

    func expect(subtitles rendition: MasterPlaylist.Rendition) {
        isSubtitles = true
        rendered = rendition
        var track = Track(id: base, mediaType: .subtitle, codec: "webvtt", timeBase: Rational(1, 1000))
        track.language = rendition.language
        track.title = rendition.name.isEmpty ? nil : rendition.name
        track.isDefault = rendition.isDefault
        track.isForced = rendition.isForced
        track.reportsProgress = true
        expected = [track]
    }

    /// Its tracks as they are, or, while it is not open, as the master playlist says.
    func tracks(zero: MediaTime) -> [Track] {
        guard let rendition else {
            return expected.map { track in
                var track = track
                track.unplayableReason = failure?.message
                return track
            }
        }
        return rendition.description.tracks.map { own in
            var track = own
            track.id = rendition.trackIDs[own.id] ?? base + own.id
            // The containers' own times, and nobody knows where a segment's track ends.
            let start = own.timeRange.start + rendition.startTime - zero
            track.timeRange = MediaTimeRange(start: max(.zero, start), duration: .indefinite)
            track.language = rendered?.language ?? own.language
            if let rendered { track.isDefault = rendered.isDefault }
            if let name = rendered?.name, !name.isEmpty { track.title = name }
            return track
        }
    }

    /// It was opened after its tracks had been described: they keep the numbers that they were given.
    func bind() {
        guard let rendition else { return }
        var free = expected
        for own in rendition.description.tracks {
            guard let index = free.firstIndex(where: { $0.mediaType == own.mediaType }) else { continue }
            rendition.rename(own.id, free.remove(at: index).id)
        }
    }
}
