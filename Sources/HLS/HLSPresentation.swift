internal import MediaCore

/// The playlists of a presentation, those that are open and those that are only named.
///
/// Confined to the lane of the demuxer that it belongs to.
struct HLSPresentation {
    /// Numbers of tracks that each playlist has for itself, so that a track keeps its own whichever variant is opened.
    static let stride = 64

    /// nil: there is one media playlist, and no other.
    var master: MasterPlaylist?
    /// First the variants', then the renditions', each URL once.
    var entries: [PresentationPlaylist] = []
    /// The first one that was opened for pictures, or for sound where there are none.
    var main: Rendition?

    var renditions: [Rendition] { entries.compactMap(\.rendition) }

    /// The earliest time of all that is open.
    var zero: MediaTime { renditions.map(\.description.startTime).min() ?? .zero }

    func entry(of track: Int) -> PresentationPlaylist? {
        let index = track / Self.stride
        return entries.indices.contains(index) ? entries[index] : nil
    }

    init() {}

    /// One media playlist.
    init(_ url: String) { entries = [PresentationPlaylist(url: url, index: 0)] }

    init(_ master: MasterPlaylist) {
        self.master = master
        for (index, variant) in master.variants.enumerated() {
            let entry = add(variant.url)
            entry.variants.append(index)
            if entry.expected.isEmpty { entry.expect(variant, hasOwnAudio: audio(of: variant).isEmpty) }
        }
        for rendition in master.renditions {
            guard let url = rendition.url, rendition.kind == .audio else { continue }
            let entry = add(url)
            if entry.rendered == nil, entry.variants.isEmpty { entry.expect(rendition, master) }
        }
        for rendition in master.renditions where rendition.kind == .subtitles {
            guard let url = rendition.url, !entries.contains(where: { $0.url == url }) else { continue }
            add(url).expect(words: rendition)
        }
    }

    /// Playlists of words, which belong to no variant.
    var hasWords: Bool { entries.contains(where: \.isText) }
    var texts: [SubtitleRendition] { entries.compactMap(\.text) }

    private mutating func add(_ url: String) -> PresentationPlaylist {
        if let known = entries.first(where: { $0.url == url }) { return known }
        let entry = PresentationPlaylist(url: url, index: entries.count)
        entries.append(entry)
        return entry
    }

    /// Renditions of its group that have playlists of their own.
    private func audio(of variant: MasterPlaylist.Variant) -> [MasterPlaylist.Rendition] {
        guard let master, let group = variant.audioGroup else { return [] }
        return master.renditions.filter { $0.kind == .audio && $0.group == group && $0.url != nil }
    }

    /// The variant's own playlist, and those that belong to it.
    func entries(of variant: MasterPlaylist.Variant) -> [PresentationPlaylist] {
        let urls = [variant.url] + audio(of: variant).compactMap(\.url)
        return entries.filter { urls.contains($0.url) }
    }

    /// What has to be open to play the variant: of its audio the one that is heard where nobody chooses.
    func needed(for variant: MasterPlaylist.Variant) -> [PresentationPlaylist] {
        let offered = audio(of: variant)
        let heard = offered.first(where: \.isDefault) ?? offered.first(where: \.isAutomatic) ?? offered.first
        let urls = [variant.url, heard?.url].compactMap { $0 }
        return entries.filter { urls.contains($0.url) }
    }
}

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
    private(set) var isText = false
    /// The same for words.
    var text: SubtitleRendition?
    /// Why it cannot be.
    var failure: MediaError?
    /// It is being fetched.
    var read: PlaylistLoad?

    init(url: String, index: Int) {
        self.url = url
        base = index * HLSPresentation.stride
    }

    func expect(_ variant: MasterPlaylist.Variant, hasOwnAudio: Bool) {
        var kinds = variant.codecs.compactMap(CodecName.init)
        // Most playlists that name no codecs hold the usual ones.
        if kinds.isEmpty { kinds = [CodecName(.video, "h264"), CodecName(.audio, "aac")] }
        if !hasOwnAudio { kinds.removeAll { $0.type == .audio } }
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

    func expect(words rendition: MasterPlaylist.Rendition) {
        isText = true
        rendered = rendition
        var track = Track(id: base, mediaType: .subtitle, codec: "webvtt", timeBase: Rational(1, 1000))
        track.language = rendition.language
        track.title = rendition.name.isEmpty ? nil : rendition.name
        track.isDefault = rendition.isDefault
        track.isForced = rendition.isForced
        track.tellsProgress = true
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

/// A codec by FFmpeg's name, of the name that playlists use (RFC 6381).
struct CodecName {
    let type: MediaType
    let name: String

    init(_ type: MediaType, _ name: String) {
        self.type = type
        self.name = name
    }

    private static let known: [(prefix: String, type: MediaType, name: String)] = [
        ("avc", .video, "h264"), ("hvc", .video, "hevc"), ("hev", .video, "hevc"), ("dvh", .video, "hevc"),
        ("av01", .video, "av1"), ("vp09", .video, "vp9"), ("vp08", .video, "vp8"), ("mp4v", .video, "mpeg4"),
        ("mp4a.40.34", .audio, "mp3"), ("mp4a.69", .audio, "mp3"), ("mp4a.6B", .audio, "mp3"),
        ("mp4a", .audio, "aac"), ("ac-3", .audio, "ac3"), ("ec-3", .audio, "eac3"), ("opus", .audio, "opus"),
        ("fLaC", .audio, "flac"), ("flac", .audio, "flac"), ("alac", .audio, "alac"),
    ]

    /// nil for words, and for what nobody knows.
    init?(_ text: String) {
        guard let found = Self.known.first(where: { text.lowercased().hasPrefix($0.prefix.lowercased()) })
        else {
            return nil
        }
        self.init(found.type, found.name)
    }
}
