import MediaCore

/// Fetches a playlist and makes values of it.
struct PlaylistLoad {
    private let url: String
    private let library: PresentationResources
    private var read: ResourceDownload?

    init(_ url: String, _ library: PresentationResources) {
        self.url = url
        self.library = library
    }

    private func source(_ given: (any ByteSource)?, isFresh: Bool) throws(MediaError) -> any ByteSource {
        if isFresh { return try library.opener.open(url, kept: .nowhere, since: 0) }
        if let given { return given }
        // Nobody knows yet whether it changes: its server is asked, also where it has been read before.
        return try library.source(url, since: library.opener.now)
    }

    /// `given`: where the bytes are, if somebody has them open. `.notReady`: to be called again. `isFresh`: what is known is not
    /// good enough.
    mutating func go(_ context: ReadContext, given: (any ByteSource)? = nil, isFresh: Bool = false)
        throws(MediaError)
        -> PresentationResources.PresentationPlaylist
    {
        if !isFresh, read == nil, let known = library.playlist(url) { return known }
        if read == nil {
            read = ResourceDownload(try source(given, isFresh: isFresh || library.isChanging(url)))
        }
        do throws(MediaError) {
            let bytes = try read?.go(upTo: library.limits.byteCount, context) ?? []
            let location = read.flatMap { library.opener.location(of: $0.source) } ?? url
            let playlist = try PlaylistParser.parse(bytes, at: location, limits: library.limits)
            var dates: [DateSpan] = []
            if case .media(let media) = playlist, media.hasDates {
                dates = PlaylistText(String(decoding: bytes, as: UTF8.self)).dates
            }
            let entry = PresentationResources.PresentationPlaylist(
                playlist: playlist,
                location: location,
                dates: dates
            )
            library.keep(entry, for: url)
            if library.isChanging(url), let read { library.opener.setChanging(read.source) }
            return entry
        } catch {
            var error = error
            if error.location == nil { error.location = PlaylistURL.name(url) }
            throw error
        }
    }
}
