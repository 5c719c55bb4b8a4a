internal import MediaCore

/// The playlists of a presentation, open or only declared.
///
/// Confined to the lane of its demuxer.
struct HLSPresentation {
    /// The number of track IDs reserved for each playlist, so that a track keeps its ID in every variant stream.
    static let stride = 64

    /// The master playlist, or nil if the presentation has only one media playlist.
    var master: MasterPlaylist?
    /// The playlists of the variant streams, then those of the renditions. Each URL occurs once.
    var entries: [PresentationPlaylist] = []
    /// The first rendition that was opened for video, or for audio if there is no video.
    var main: Rendition?

    var renditions: [Rendition] { entries.compactMap(\.rendition) }

    /// The earliest start time of all open renditions.
    var zero: MediaTime { renditions.map(\.description.startTime).min() ?? .zero }

    /// Returns the playlist of a track.
    func entry(of track: Int) -> PresentationPlaylist? {
        let index = track / Self.stride
        return entries.indices.contains(index) ? entries[index] : nil
    }

    init() {}

    /// Creates a presentation with one media playlist.
    init(_ url: String) { entries = [PresentationPlaylist(url: url, index: 0)] }

    init(_ master: MasterPlaylist) {
        self.master = master
        for (index, variant) in master.variants.enumerated() {
            let entry = add(variant.url)
            entry.variants.append(index)
            if entry.declaredTracks.isEmpty { entry.declare(variant, hasAudio: audio(of: variant).isEmpty) }
        }
        for rendition in master.renditions {
            guard let url = rendition.url, rendition.kind == .audio else { continue }
            let entry = add(url)
            if entry.declaredRendition == nil, entry.variants.isEmpty { entry.declare(rendition, master) }
        }
        for rendition in master.renditions where rendition.kind == .subtitles {
            guard let url = rendition.url, !entries.contains(where: { $0.url == url }) else { continue }
            add(url).declare(subtitles: rendition)
        }
    }

    /// Whether the presentation has subtitle playlists. They belong to no variant stream.
    var hasSubtitles: Bool { entries.contains(where: \.isSubtitles) }
    /// The open subtitle renditions.
    var subtitleRenditions: [SubtitleRendition] { entries.compactMap(\.subtitles) }

    private mutating func add(_ url: String) -> PresentationPlaylist {
        if let known = entries.first(where: { $0.url == url }) { return known }
        let entry = PresentationPlaylist(url: url, index: entries.count)
        entries.append(entry)
        return entry
    }

    /// Returns the audio renditions of a variant's group that have playlists of their own.
    private func audio(of variant: MasterPlaylist.Variant) -> [MasterPlaylist.Rendition] {
        guard let master, let group = variant.audioGroup else { return [] }
        return master.renditions.filter { $0.kind == .audio && $0.group == group && $0.url != nil }
    }

    /// Returns the playlist of a variant stream and those of its renditions.
    func entries(of variant: MasterPlaylist.Variant) -> [PresentationPlaylist] {
        let urls = [variant.url] + audio(of: variant).compactMap(\.url)
        return entries.filter { urls.contains($0.url) }
    }

    /// Returns the playlists that must be open to play the variant stream. Of its audio renditions this is the one
    /// that plays by default.
    func needed(for variant: MasterPlaylist.Variant) -> [PresentationPlaylist] {
        let offered = audio(of: variant)
        let selected =
            offered.first(where: \.isDefault) ?? offered.first(where: \.isAutomatic) ?? offered.first
        let urls = [variant.url, selected?.url].compactMap { $0 }
        return entries.filter { urls.contains($0.url) }
    }
}
