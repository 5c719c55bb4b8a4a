package import MediaCore

/// How the parts of a presentation are had: from a network, with the headers, limits and secrets of whatever led to them.
package protocol RemoteResourceProvider: Sendable {
    /// Does no I/O. `kept`: where what comes of it stays. `since`: what its server has said of it since that moment, by `now`, holds; 0:
    /// since whatever led to it was opened.
    func open(_ url: String, kept: CachePolicy, since: Int64) throws(MediaError) -> any ByteSource
    /// The reader goes on elsewhere: nothing is fetched or held for it any more. It may come back.
    func leave(_ source: any ByteSource, _ context: ReadContext)
    /// All of it is still to be had from it. Not where a server sends its bytes once, in order, and its readers have gone.
    func isWhole(_ source: any ByteSource) -> Bool
    /// It has turned out to be another one each time that it is asked for: nobody else gets what has come of it.
    func setChanging(_ source: any ByteSource)
    /// Nanoseconds of the machine's clock.
    var now: Int64 { get }
    /// Where a server has led to; nil: where it was opened. Known once the first bytes have come.
    func location(of source: any ByteSource) -> String?
    /// All that has come of it so far, whoever asked for it.
    func receivedBytes(of source: any ByteSource) -> Int64
    /// Calls `body` in so many nanoseconds, on a thread that must not be blocked.
    func call(after delay: Int64, _ body: @escaping @Sendable () -> Void) throws(MediaError)
}

/// What all who open the same presentation share: playlists that do not change, keys, and the resources that were used last. What came
/// of other resources is where the opener keeps it.
package final class PresentationResources: Sendable {
    /// A playlist, and where it was found.
    struct PresentationPlaylist {
        var playlist: Playlist
        var location: String
        var dates: [DateSpan]
    }

    private struct State {
        var playlists: [String: PresentationPlaylist] = [:]
        var keys: [String: [UInt8]] = [:]
        /// The one that was used last comes last. `opened`: by the opener's clock.
        var recent: [(url: String, source: any ByteSource, opened: Int64)] = []
        /// Playlists that had no end when they were read last.
        var changing: Set<String> = []
        /// What came of those that are not held any more.
        var formerBytes: Int64 = 0
        /// What opening taught of variants that say nothing of their size, by URL.
        var sizes: [String: PixelSize] = [:]
        var zero: MediaTime?
    }

    private let state = Locked(State())
    let opener: any RemoteResourceProvider
    let limits: PlaylistLimits
    /// See `TimestampAdjuster`.
    let measuredShifts = TimestampAdjuster.Shifts([:])
    /// Resources that are held though nobody reads them. Each of them holds what came last of it, in memory.
    private static let recentLimit = 8

    package init(opener: any RemoteResourceProvider, limits: PlaylistLimits = PlaylistLimits()) {
        self.opener = opener
        self.limits = limits
    }

    /// The same source for all who read it at the same time, and shortly after. `since`: as for the opener.
    func source(_ url: String, kept: CachePolicy = .everywhere, since: Int64 = 0) throws(MediaError)
        -> any ByteSource
    {
        try state.withLock { state throws(MediaError) in
            if let index = state.recent.firstIndex(where: { $0.url == url }) {
                let found = state.recent.remove(at: index)
                if found.opened >= since, opener.isWhole(found.source) {
                    state.recent.append(found)
                    return found.source
                }
                state.formerBytes += opener.receivedBytes(of: found.source)
            }
            let source = try opener.open(url, kept: kept, since: since)
            state.recent.append((url, source, opener.now))
            if state.recent.count > Self.recentLimit {
                state.formerBytes += opener.receivedBytes(of: state.recent.removeFirst().source)
            }
            return source
        }
    }

    /// Of all resources of the presentation.
    var receivedBytes: Int64 {
        state.withLock { state in
            state.recent.reduce(state.formerBytes) { $0 + opener.receivedBytes(of: $1.source) }
        }
    }

    /// What failed for good, or is to be read anew.
    func forget(_ url: String) {
        state.withLock { state in
            for held in state.recent where held.url == url {
                state.formerBytes += opener.receivedBytes(of: held.source)
            }
            state.recent.removeAll { $0.url == url }
        }
    }

    func playlist(_ url: String) -> PresentationPlaylist? { state.withLock { $0.playlists[url] } }

    func keep(_ entry: PresentationPlaylist, for url: String) {
        state.withLock { state in
            if case .media(let media) = entry.playlist, !media.hasEnded {
                state.changing.insert(url)
            } else {
                state.changing.remove(url)
                state.playlists[url] = entry
            }
        }
    }

    /// It had no end when it was read last.
    func isChanging(_ url: String) -> Bool { state.withLock { $0.changing.contains(url) } }

    func key(_ url: String) -> [UInt8]? { state.withLock { $0.keys[url] } }
    func keep(key: [UInt8], for url: String) { state.withLock { $0.keys[url] = key } }

    /// The containers' time that is zero on the item's timeline: as it was for the first who opened the presentation, so that
    /// all variants, and a live presentation joined later, have the same times.
    func zero(_ found: MediaTime) -> MediaTime {
        state.withLock { state in
            if let known = state.zero { return known }
            state.zero = found
            return found
        }
    }

    /// nil: nobody has opened it.
    var knownZero: MediaTime? { state.withLock { $0.zero } }

    func size(_ url: String) -> PixelSize? { state.withLock { $0.sizes[url] } }
    func keep(size: PixelSize, for url: String) { state.withLock { $0.sizes[url] = size } }
}

/// Reads all of a small resource, piece by piece.
struct ResourceDownload {
    let source: any ByteSource
    private(set) var bytes: [UInt8] = []

    init(_ source: any ByteSource) { self.source = source }

    /// All of it, or `.notReady`, and then the context is woken. More than `limit` bytes are not read.
    mutating func go(upTo limit: Int, _ context: ReadContext) throws(MediaError) -> [UInt8] {
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { chunk.deallocate() }
        while bytes.count <= limit {
            let count = try source.read(at: Int64(bytes.count), into: chunk, context: context)
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
        }
        return bytes
    }
}

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
