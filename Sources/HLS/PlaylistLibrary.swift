package import MediaCore

/// How the parts of a presentation are had: from a network, with the headers, limits and secrets of whatever led to them.
package protocol ResourceOpener: Sendable {
    /// Does no I/O.
    func open(_ url: String) throws(MediaError) -> any ByteSource
    /// Where a server has led to; nil: where it was opened. Known once the first bytes have come.
    func location(of source: any ByteSource) -> String?
    /// All that has come of it so far, whoever asked for it.
    func receivedBytes(of source: any ByteSource) -> Int64
    /// Calls `body` in so many nanoseconds, on a thread that must not be blocked.
    func call(after delay: Int64, _ body: @escaping @Sendable () -> Void) throws(MediaError)
}

/// What all who open the same presentation share: playlists that do not change, keys, and the resources that were used last, so
/// that no byte is fetched twice by those who play, look at stills and read words.
package final class PlaylistLibrary: Sendable {
    /// A playlist, and where it was found.
    struct Entry {
        var playlist: Playlist
        var location: String
        var dates: [DateSpan]
    }

    private struct State {
        var playlists: [String: Entry] = [:]
        var keys: [String: [UInt8]] = [:]
        /// The one that was used last comes last.
        var recent: [(url: String, source: any ByteSource)] = []
        /// What came of those that are not held any more.
        var formerBytes: Int64 = 0
        /// What opening taught of variants that say nothing of their size, by URL.
        var sizes: [String: PixelSize] = [:]
        var zero: MediaTime?
    }

    private let state = Locked(State())
    let opener: any ResourceOpener
    let limits: PlaylistLimits
    /// Resources that are held though nobody reads them. Each of them holds what came last of it, in memory.
    private static let recentLimit = 8

    package init(opener: any ResourceOpener, limits: PlaylistLimits = PlaylistLimits()) {
        self.opener = opener
        self.limits = limits
    }

    /// The same source for all who read it at the same time, and shortly after.
    func source(_ url: String) throws(MediaError) -> any ByteSource {
        try state.withLock { state throws(MediaError) in
            if let index = state.recent.firstIndex(where: { $0.url == url }) {
                let found = state.recent.remove(at: index)
                state.recent.append(found)
                return found.source
            }
            let source = try opener.open(url)
            state.recent.append((url, source))
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

    func playlist(_ url: String) -> Entry? { state.withLock { $0.playlists[url] } }

    func keep(_ entry: Entry, for url: String) {
        if case .media(let media) = entry.playlist, !media.hasEnded { return }
        state.withLock { $0.playlists[url] = entry }
    }

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
struct WholeRead {
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
struct PlaylistRead {
    private let url: String
    private let library: PlaylistLibrary
    private var read: WholeRead?

    init(_ url: String, _ library: PlaylistLibrary) {
        self.url = url
        self.library = library
    }

    /// `given`: where the bytes are, if somebody has them open. `.notReady`: to be called again. `isFresh`: what is known is not
    /// good enough.
    mutating func go(_ context: ReadContext, given: (any ByteSource)? = nil, isFresh: Bool = false)
        throws(MediaError)
        -> PlaylistLibrary.Entry
    {
        if !isFresh, read == nil, let known = library.playlist(url) { return known }
        if read == nil, let given { read = WholeRead(given) }
        if read == nil { read = WholeRead(isFresh ? try library.opener.open(url) : try library.source(url)) }
        do throws(MediaError) {
            let bytes = try read?.go(upTo: library.limits.byteCount, context) ?? []
            let location = read.flatMap { library.opener.location(of: $0.source) } ?? url
            let playlist = try PlaylistParser.parse(bytes, at: location, limits: library.limits)
            var dates: [DateSpan] = []
            if case .media(let media) = playlist, media.hasDates {
                dates = PlaylistText(String(decoding: bytes, as: UTF8.self)).dates
            }
            let entry = PlaylistLibrary.Entry(playlist: playlist, location: location, dates: dates)
            library.keep(entry, for: url)
            return entry
        } catch {
            var error = error
            if error.location == nil { error.location = PlaylistURL.name(url) }
            throw error
        }
    }
}
