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
            if entry.expected.isEmpty { entry.expect(variant, hasAudio: audio(of: variant).isEmpty) }
        }
        for rendition in master.renditions {
            guard let url = rendition.url, rendition.kind == .audio else { continue }
            let entry = add(url)
            if entry.rendered == nil, entry.variants.isEmpty { entry.expect(rendition, master) }
        }
        for rendition in master.renditions where rendition.kind == .subtitles {
            guard let url = rendition.url, !entries.contains(where: { $0.url == url }) else { continue }
            add(url).expect(subtitles: rendition)
        }
    }

    /// Playlists of words, which belong to no variant.
    var hasSubtitles: Bool { entries.contains(where: \.isSubtitles) }
    var subtitleRenditions: [SubtitleRendition] { entries.compactMap(\.subtitles) }

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
        let selected =
            offered.first(where: \.isDefault) ?? offered.first(where: \.isAutomatic) ?? offered.first
        let urls = [variant.url, selected?.url].compactMap { $0 }
        return entries.filter { urls.contains($0.url) }
    }
}
