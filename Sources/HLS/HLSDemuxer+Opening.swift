internal import MediaCore
import PlayheadBackend

extension HLSDemuxer {
    /// The maximum number of variant streams to try if one cannot be opened or differs from its description.
    private static let attemptLimit = 8
    /// The maximum number of local playlists that are opened to describe them.
    private static let localPlaylistLimit = 32

    /// Loads the playlist of the asset and opens what is needed for playback. Returns false if the call must be
    /// repeated when the context is woken.
    func openPlaylists() throws(MediaError) -> Bool {
        var load = PlaylistLoad(url, resources, source: source)
        let root = try context.retryUntilReady { () throws(MediaError) in try load.resume(context) }
        switch root {
        case .media(let media):
            presentation = HLSPresentation(url)
            let entry = presentation.entries[0]
            try open([entry], known: media)
            if let failure = entry.failure { throw failure }
            presentation.main = entry.rendition
        case .master(let master):
            presentation = HLSPresentation(master)
            if request.options.readsOnlySubtitles, presentation.hasSubtitles, !resources.isLocal {
                // Subtitle times are relative to the first video segment, which another demuxer of the asset opens.
                return resources.isZeroKnown(orWake: context)
            }
            if resources.isLocal { try openLocalPlaylists() }
            try openVariant()
        }
        return true
    }

    /// Opens the playlists of a local presentation, because files cost little to open, and their own descriptions are
    /// complete. Ends early if they have more segments together than one playlist may have.
    private func openLocalPlaylists() throws(MediaError) {
        var segmentCount = 0
        for entry in presentation.entries.filter({ !$0.isSubtitles }).prefix(Self.localPlaylistLimit) {
            try open([entry])
            segmentCount += entry.rendition?.playlist.segments.count ?? 0
            if segmentCount > resources.limits.segmentCount { return }
        }
    }

    /// Opens the chosen variant stream. Its actual size may lead to another choice.
    private func openVariant() throws(MediaError) {
        guard let master = presentation.master else { return }
        for _ in 0..<Self.attemptLimit {
            let described = describe()
            let chosen =
                request.options.chooseVariant?(described)
                ?? Variant.highestQuality(of: described.playableVariants)
            guard let chosen, let index = described.variants.firstIndex(of: chosen) else { break }
            let variant = master.variants[index]
            let needed = presentation.needed(for: variant).filter { $0.rendition == nil }
            guard let own = presentation.entry(at: variant.url) else { break }
            if own.rendition == nil {
                // No other variant stream is left.
                if let failure = own.failure { throw failure }
                try open(needed)
            } else if needed.allSatisfy({ $0.failure != nil }) {
                presentation.main = own.rendition
                return
            } else {
                try open(needed)
            }
            if let rendition = own.rendition {
                let video = rendition.description.tracks.first { $0.mediaType == .video }
                if let video { resources.store(size: video.presentationSize, for: own.url) }
                presentation.main = rendition
                if describe().variants[index] == chosen { return }
            }
        }
        if presentation.main == nil {
            throw presentation.entries.compactMap(\.failure).first
                ?? MediaError(.noPlayableTracks, "the master playlist has no playable variant stream")
        }
    }

    /// Loads playlists concurrently, then their first segments. Failures are stored in the entries.
    func open(_ entries: [PresentationPlaylist], known: MediaPlaylist? = nil) throws(MediaError) {
        if let known {
            try attempt(entries[0]) { entry throws(MediaError) in try prepare(entry, known) }
        } else {
            for entry in entries { entry.load = PlaylistLoad(entry.url, resources) }
            for entry in entries {
                try attempt(entry) { entry throws(MediaError) in try fetch(entry, mayWait: false) }
            }
            for entry in entries where entry.rendition == nil && entry.failure == nil {
                try attempt(entry) { entry throws(MediaError) in try fetch(entry, mayWait: true) }
            }
        }
        for entry in entries { entry.rendition?.requestFirstBytes(context) }
        for entry in entries where entry.rendition != nil {
            try attempt(entry) { entry throws(MediaError) in
                try entry.rendition?.open(firstTrackID: entry.firstTrackID)
            }
        }
    }

    /// Calls `body` and stores its failure in the entry. Rethrows only `.cancelled`.
    private func attempt(
        _ entry: PresentationPlaylist,
        _ body: (PresentationPlaylist) throws(MediaError) -> Void
    ) throws(MediaError) {
        do throws(MediaError) {
            try body(entry)
        } catch {
            // A partly opened rendition is useless. The next attempt starts from scratch.
            entry.rendition = nil
            if error.code == .cancelled { throw error }
            entry.failure = error
        }
    }

    /// Loads the playlist of an entry and creates its rendition. Does nothing if the bytes are not available and
    /// `mayWait` is false.
    private func fetch(_ entry: PresentationPlaylist, mayWait: Bool) throws(MediaError) {
        guard var load = entry.load else { return }
        defer { entry.load = load }
        func resume() throws(MediaError) -> Playlist? { try load.resume(context) }
        guard let found = mayWait ? try context.retryUntilReady(resume) : try resume() else { return }
        guard case .media(let media) = found else {
            throw MediaError(
                .forbidden,
                "a variant stream is a master playlist: only media playlists are allowed",
                location: Redaction.location(entry.url)
            )
        }
        try prepare(entry, media)
    }

    /// Creates the rendition of a media playlist.
    private func prepare(_ entry: PresentationPlaylist, _ media: MediaPlaylist) throws(MediaError) {
        entry.rendition = try Rendition(
            media,
            url: entry.url,
            demuxers: demuxers,
            timestampAdjuster: timestampAdjuster,
            // The times of a later segment need the time of the first segment as reference.
            openingTime: resources.knownZero == nil ? nil : request.options.startTime,
            liveOffset: request.options.liveOffset,
            start: preferredStart(of: media)
        )
    }

    // MARK: The preferred start

    /// Returns the preferred start of a media playlist, or nil if there is none, or if the caller begins elsewhere.
    /// That of the master playlist applies to all media playlists.
    private func preferredStart(of media: MediaPlaylist) -> PlaylistStart? {
        let options = request.options
        guard options.beginsAtPreferredStart, options.startTime == nil,
            media.hasEnded || options.liveOffset == nil
        else { return nil }
        return presentation.master?.start ?? media.start
    }

    /// Lets reading begin at the preferred start of the presentation, if it has one. An exact start requires a seek,
    /// which the caller makes.
    func beginAtPreferredStart(_ description: inout MediaDescription) throws(MediaError) {
        guard let main = presentation.main, let start = preferredStart(of: main.playlist) else { return }
        let time = main.itemTime(of: start)
        guard !start.isPrecise else {
            if time > .zero { description.preciseStart = time }
            return
        }
        if main.playlist.hasEnded {
            guard time > .zero else { return }
            // The rendition was opened with its first segment, because that determines the item's timeline.
            _ = try main.begin(at: time, back: 0)
            description.joinTime = main.segmentStart
        } else {
            description.joinTime = main.joinTime
        }
        joinTime = description.joinTime
        mustAlign = true
        for other in presentation.renditions where other !== main { try join(other) }
    }

    /// Moves a rendition to the segment with which the main one begins.
    func join(_ rendition: Rendition) throws(MediaError) {
        guard let joinTime else { return }
        _ = try rendition.begin(at: joinTime, back: 0)
    }

    /// Loads a subtitle playlist on the first call. Its segments are loaded as they are read.
    func openSubtitles(_ entry: PresentationPlaylist) throws(MediaError) -> SubtitleRendition {
        if let subtitles = entry.subtitles { return subtitles }
        var load = PlaylistLoad(entry.url, resources)
        let found = try context.retryUntilReady { () throws(MediaError) in try load.resume(context) }
        guard case .media(let media) = found else {
            throw MediaError(
                .forbidden,
                "a subtitle rendition is a master playlist: only media playlists are allowed",
                location: Redaction.location(entry.url)
            )
        }
        let subtitles = SubtitleRendition(
            media,
            url: entry.url,
            track: entry.firstTrackID,
            zero: zero,
            demuxers: demuxers
        )
        entry.subtitles = subtitles
        return subtitles
    }

    // MARK: Describing

    /// Returns the description of the presentation, also of playlists that are not open.
    func describe() -> MediaDescription {
        let zero = zero
        var description = MediaDescription(formatName: "hls")
        description.startTime = zero
        let tracks = presentation.entries.map { $0.tracks(zero: zero) }
        description.tracks = tracks.flatMap(\.self)
        description.variants = variants(tracks)
        // Over HTTP, the segments are remote even if the playlist is cached.
        description.isLocal = resources.isLocal
        if resources.isLocal { description.byteCount = source.byteCount }
        guard let main = presentation.main ?? presentation.renditions.first else { return description }
        description.metadata = main.description.metadata
        description.dates = main.dates.map { span in
            var span = span
            span.timeRange.start = span.timeRange.start - main.originTime
            return span
        }
        let playlist = main.playlist
        description.isSeekable = playlist.hasEnded
        if playlist.hasEnded, playlist.duration > 0, !main.wasLive {
            description.duration = MediaTime(value: playlist.duration, timescale: 1_000_000)
            description.durationIsRounded = true
        }
        return description
    }

    /// Returns the variant streams. `tracks` holds the tracks of each media playlist.
    private func variants(_ tracks: [[Track]]) -> [Variant] {
        (presentation.master?.variants ?? []).map { variant in
            let own = presentation.entries(of: variant).flatMap { tracks[$0.index] }
            let videoTrack = own.first { $0.mediaType == .video }
            let size = videoTrack.map(\.presentationSize).flatMap { $0.isEmpty ? nil : $0 }
            return Variant(
                peakBitRate: Double(variant.peakBitRate),
                size: size ?? resources.size(variant.url) ?? .zero,
                codecs: own.map(\.codec),
                trackIDs: Set(own.map(\.id))
            )
        }
    }
}
