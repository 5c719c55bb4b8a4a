import MediaCore

/// The loading of a playlist, which can be resumed after `.notReady`.
struct PlaylistLoad {
    private let url: String
    private let resources: PresentationResources
    private var download: ResourceDownload?

    init(_ url: String, _ resources: PresentationResources) {
        self.url = url
        self.resources = resources
    }

    private func source(_ given: (any ByteSource)?, isFresh: Bool) throws(MediaError) -> any ByteSource {
        if isFresh { return try resources.provider.open(url, cachePolicy: .nowhere, validatedAfter: 0) }
        if let given { return given }
        // The playlist may be a live one, so it is revalidated even if it was read before.
        return try resources.source(url, validatedAfter: resources.provider.now)
    }

    /// Continues loading.
    ///
    /// - Parameters:
    ///   - context: The reader, which is woken when bytes arrive.
    ///   - given: An open source of the playlist.
    ///   - isFresh: Whether the playlist must be fetched again.
    /// - Returns: The parsed playlist.
    /// - Throws: `MediaError`; `.notReady` if the call must be repeated.
    mutating func resume(_ context: ReadContext, given: (any ByteSource)? = nil, isFresh: Bool = false)
        throws(MediaError)
        -> PresentationResources.LoadedPlaylist
    {
        if !isFresh, download == nil, let known = resources.playlist(url) { return known }
        if download == nil {
            download = ResourceDownload(try source(given, isFresh: isFresh || resources.isLive(url)))
        }
        do throws(MediaError) {
            let bytes = try download?.resume(upTo: resources.limits.byteCount, context) ?? []
            let location = download.flatMap { resources.provider.location(of: $0.source) } ?? url
            let playlist = try PlaylistParser.parse(bytes, at: location, limits: resources.limits)
            var dates: [DateSpan] = []
            if case .media(let media) = playlist, media.hasDates {
                dates = PlaylistText(String(decoding: bytes, as: UTF8.self)).dates
            }
            let entry = PresentationResources.LoadedPlaylist(
                playlist: playlist,
                location: location,
                dates: dates
            )
            resources.store(entry, for: url)
            if resources.isLive(url), let download { resources.provider.setVolatile(download.source) }
            return entry
        } catch {
            var error = error
            if error.location == nil { error.location = PlaylistURL.name(url) }
            throw error
        }
    }
}
