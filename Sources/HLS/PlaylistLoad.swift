import MediaCore

/// The loading of a playlist, which can be resumed.
struct PlaylistLoad {
    private let url: String
    private let resources: PresentationResources
    private var source: (any ResourceByteSource)?
    private var download: ResourceDownload?

    /// Creates a load.
    ///
    /// - Parameters:
    ///   - url: The URL of the playlist.
    ///   - resources: The resources of the presentation.
    ///   - source: An open source of the playlist, or nil.
    init(_ url: String, _ resources: PresentationResources, source: (any ResourceByteSource)? = nil) {
        self.url = url
        self.resources = resources
        self.source = source
    }

    private func openSource(isFresh: Bool) throws(MediaError) -> any ResourceByteSource {
        if isFresh { return try resources.root.openReferenced(url, cachePolicy: .nowhere, validatedAfter: 0) }
        if let source { return source }
        // The playlist may be a live one, so it is revalidated even if it was read before.
        return try resources.source(url, validatedAfter: resources.root.now)
    }

    /// Continues loading.
    ///
    /// - Parameters:
    ///   - context: The reader, which is woken when bytes arrive.
    ///   - isFresh: Whether the playlist must be fetched again.
    /// - Returns: The parsed playlist, or nil if bytes are not available yet. The context will be woken.
    /// - Throws: `MediaError` if the playlist cannot be loaded.
    mutating func resume(_ context: ReadContext, isFresh: Bool = false) throws(MediaError) -> Playlist? {
        if !isFresh, download == nil, let known = resources.playlist(url) { return known }
        do throws(MediaError) {
            if download == nil {
                let source = try openSource(isFresh: isFresh || resources.isLive(url))
                self.source = source
                download = ResourceDownload(source)
            }
            guard let bytes = try download?.resume(upTo: resources.limits.byteCount, context) else {
                return nil
            }
            var playlist = try PlaylistParser.parse(
                bytes,
                at: source?.location ?? url,
                limits: resources.limits
            )
            resources.store(playlist, for: url)
            if resources.isLive(url) { source?.setVolatile() }
            // A local playlist without an end tag is played as far as it goes now.
            if resources.isLocal { playlist.end() }
            return playlist
        } catch {
            var error = error
            if error.location == nil { error.location = Redaction.location(url) }
            throw error
        }
    }
}
