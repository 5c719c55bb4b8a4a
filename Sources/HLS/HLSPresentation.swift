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
    private(set) var entries: [PresentationPlaylist] = []
    private var entriesByURL: [String: PresentationPlaylist] = [:]
    /// The audio renditions that have playlists of their own, by group.
    private var audioGroups: [String: [MasterPlaylist.Rendition]] = [:]
    /// The audio rendition that plays by default, by group.
    private var defaultAudio: [String: MasterPlaylist.Rendition] = [:]
    /// The open rendition of the chosen variant stream, or of the only media playlist.
    var main: Rendition?
    /// The URL of the playlist of `main`.
    var mainURL: String? { main.flatMap { main in entries.first { $0.rendition === main }?.url } }

    var renditions: [Rendition] { entries.compactMap(\.rendition) }

    /// The earliest start time of all open renditions.
    var zero: MediaTime { renditions.map(\.startTime).min() ?? .zero }

    /// Returns the playlist of a track.
    func entry(of track: Int) -> PresentationPlaylist? {
        let index = track / Self.stride
        return entries.indices.contains(index) ? entries[index] : nil
    }

    init() {}

    /// Creates a presentation with one media playlist.
    init(_ url: String) { _ = add(url) }

    init(_ master: MasterPlaylist) {
        self.master = master
        var groups: [String: [MasterPlaylist.Rendition]] = [:]
        for rendition in master.renditions where rendition.kind == .audio {
            groups[rendition.group, default: []].append(rendition)
        }
        audioGroups = groups.mapValues { group in group.filter { $0.url != nil } }
        let defaults = groups.compactMapValues { Self.defaultRendition(of: $0) }
        defaultAudio = defaults
        let ownAudio = groups.compactMapValues { group in group.first { $0.url == nil } }
        let codecs = Self.audioCodecs(master)
        for (index, variant) in master.variants.enumerated() {
            let entry = add(variant.url)
            entry.variants.append(index)
            guard entry.declaredTracks.isEmpty else { continue }
            let own = variant.audioGroup.flatMap { ownAudio[$0] }
            entry.declare(variant, hasAudio: own != nil || audio(of: variant).isEmpty, audio: own)
        }
        // Without a selection the first track of a type plays.
        let first = master.renditions.filter { defaults[$0.group] == $0 }
        for rendition in first + master.renditions {
            guard let url = rendition.url, rendition.kind == .audio else { continue }
            let entry = add(url)
            if entry.declaredRendition == nil, entry.variants.isEmpty {
                entry.declare(rendition, codec: codecs[rendition.group])
            }
        }
        for rendition in master.renditions where rendition.kind == .subtitles {
            guard let url = rendition.url, entry(at: url) == nil else { continue }
            add(url).declare(subtitles: rendition)
        }
    }

    /// Whether the presentation has subtitle playlists. They belong to no variant stream.
    var hasSubtitles: Bool { entries.contains(where: \.isSubtitles) }
    /// The open subtitle renditions.
    var subtitleRenditions: [SubtitleRendition] { entries.compactMap(\.subtitles) }

    private mutating func add(_ url: String) -> PresentationPlaylist {
        if let known = entry(at: url) { return known }
        let entry = PresentationPlaylist(url: url, index: entries.count)
        entries.append(entry)
        entriesByURL[url] = entry
        return entry
    }

    /// Returns the audio renditions of a variant's group that have playlists of their own.
    private func audio(of variant: MasterPlaylist.Variant) -> [MasterPlaylist.Rendition] {
        variant.audioGroup.flatMap { audioGroups[$0] } ?? []
    }

    /// Returns the playlist of a variant stream and those of its renditions.
    func entries(of variant: MasterPlaylist.Variant) -> [PresentationPlaylist] {
        entries(at: [variant.url] + audio(of: variant).compactMap(\.url))
    }

    /// Returns the playlists that must be open to play the variant stream. Of its audio renditions this is the one
    /// that plays by default, which may be in the segments of the variant stream.
    func needed(for variant: MasterPlaylist.Variant) -> [PresentationPlaylist] {
        let selected = variant.audioGroup.flatMap { defaultAudio[$0] }
        return entries(at: [variant.url, selected?.url].compactMap { $0 })
    }

    /// Returns the rendition of a group that plays by default.
    private static func defaultRendition(of group: [MasterPlaylist.Rendition]) -> MasterPlaylist.Rendition? {
        group.first(where: \.isDefault) ?? group.first(where: \.isAutomatic) ?? group.first
    }

    /// Returns the playlist with a URL.
    func entry(at url: String) -> PresentationPlaylist? { entriesByURL[url] }

    /// Returns the playlists with these URLs, each once, in the order of `entries`.
    private func entries(at urls: [String]) -> [PresentationPlaylist] {
        Set(urls.compactMap { entry(at: $0)?.index }).sorted().map { entries[$0] }
    }

    /// Returns the codec of each audio group, taken from the first variant that refers to the group.
    private static func audioCodecs(_ master: MasterPlaylist) -> [String: String] {
        var codecs: [String: String?] = [:]
        for variant in master.variants {
            guard let group = variant.audioGroup, codecs[group] == nil else { continue }
            codecs[group] = .some(
                variant.codecs.lazy.compactMap(CodecName.init).first { $0.type == .audio }?.name
            )
        }
        return codecs.compactMapValues(\.self)
    }
}
