import MediaCore

/// The resources that all readers of a presentation share: playlists that have ended, keys, and the most recent
/// sources. Other bytes are kept by the provider.
package final class PresentationResources: Sendable {
    /// A parsed playlist and its URL after redirects.
    struct LoadedPlaylist {
        var playlist: Playlist
        var location: String
        var dates: [DateSpan]
    }

    private struct State {
        var playlists: [String: LoadedPlaylist] = [:]
        var keys: [String: [UInt8]] = [:]
        /// The most recently used sources, in order of use. `openTime` is by the provider's clock.
        var recent: [(url: String, source: any ByteSource, openTime: Int64)] = []
        /// The playlists that had no end when they were read last.
        var live: Set<String> = []
        /// The number of bytes received by sources that were released.
        var formerBytes: Int64 = 0
        /// The actual sizes of variant streams that declare none, by URL.
        var sizes: [String: PixelSize] = [:]
        var zero: MediaTime?
    }

    private let state = Locked(State())
    let provider: any RemoteResourceProvider
    let limits: PlaylistLimits
    /// The timestamp offsets of discontinuities. See `TimestampAdjuster`.
    let measuredShifts = TimestampAdjuster.Shifts([:])
    /// The number of sources that stay open without readers. Each of them keeps its latest bytes in memory.
    private static let recentLimit = 8

    package init(provider: any RemoteResourceProvider, limits: PlaylistLimits = PlaylistLimits()) {
        self.provider = provider
        self.limits = limits
    }

    /// Returns the source of a URL. Readers at about the same time get the same one. The other parameters are those
    /// of `RemoteResourceProvider.open`.
    func source(_ url: String, cachePolicy: CachePolicy = .everywhere, validatedAfter: Int64 = 0)
        throws(MediaError)
        -> any ByteSource
    {
        try state.withLock { state throws(MediaError) in
            if let index = state.recent.firstIndex(where: { $0.url == url }) {
                let found = state.recent.remove(at: index)
                if found.openTime >= validatedAfter, provider.isReusable(found.source) {
                    state.recent.append(found)
                    return found.source
                }
                state.formerBytes += provider.receivedBytes(of: found.source)
            }
            let source = try provider.open(url, cachePolicy: cachePolicy, validatedAfter: validatedAfter)
            state.recent.append((url, source, provider.now))
            if state.recent.count > Self.recentLimit {
                state.formerBytes += provider.receivedBytes(of: state.recent.removeFirst().source)
            }
            return source
        }
    }

    /// The number of bytes received for all resources of the presentation.
    var receivedBytes: Int64 {
        state.withLock { state in
            state.recent.reduce(state.formerBytes) { $0 + provider.receivedBytes(of: $1.source) }
        }
    }

    /// Releases the source of a URL, because it failed permanently or must be read again.
    func forget(_ url: String) {
        state.withLock { state in
            for recent in state.recent where recent.url == url {
                state.formerBytes += provider.receivedBytes(of: recent.source)
            }
            state.recent.removeAll { $0.url == url }
        }
    }

    /// Returns a playlist that has ended and was loaded before.
    func playlist(_ url: String) -> LoadedPlaylist? { state.withLock { $0.playlists[url] } }

    /// Stores a playlist that has ended. A live playlist is only recorded as live.
    func store(_ entry: LoadedPlaylist, for url: String) {
        state.withLock { state in
            if case .media(let media) = entry.playlist, !media.hasEnded {
                state.live.insert(url)
            } else {
                state.live.remove(url)
                state.playlists[url] = entry
            }
        }
    }

    /// Returns true if the playlist had no end when it was read last.
    func isLive(_ url: String) -> Bool { state.withLock { $0.live.contains(url) } }

    /// Returns a key that was loaded before.
    func key(_ url: String) -> [UInt8]? { state.withLock { $0.keys[url] } }
    /// Stores a key for later segments.
    func store(key: [UInt8], for url: String) { state.withLock { $0.keys[url] = key } }

    /// Returns the container time that corresponds to zero on the item's timeline. The first caller sets it, so that
    /// all variant streams and later readers of a live presentation have the same times.
    func zero(establishing found: MediaTime) -> MediaTime {
        state.withLock { state in
            if let known = state.zero { return known }
            state.zero = found
            return found
        }
    }

    /// The container time that corresponds to zero, or nil before the presentation has been opened.
    var knownZero: MediaTime? { state.withLock { $0.zero } }

    /// Returns the actual size of a variant stream.
    func size(_ url: String) -> PixelSize? { state.withLock { $0.sizes[url] } }
    /// Stores the actual size of a variant stream.
    func store(size: PixelSize, for url: String) { state.withLock { $0.sizes[url] = size } }
}
