import MediaCore

/// What all who open the same presentation share: playlists that do not change, keys, and the resources that were used last. What came
/// of other resources is where the opener keeps it.
package final class PresentationResources: Sendable {
    /// A playlist, and where it was found.
    struct LoadedPlaylist {
        var playlist: Playlist
        var location: String
        var dates: [DateSpan]
    }

    private struct State {
        var playlists: [String: LoadedPlaylist] = [:]
        var keys: [String: [UInt8]] = [:]
        /// The one that was used last comes last. `opened`: by the opener's clock.
        var recent: [(url: String, source: any ByteSource, openTime: Int64)] = []
        /// Playlists that had no end when they were read last.
        var live: Set<String> = []
        /// What came of those that are not held any more.
        var formerBytes: Int64 = 0
        /// What opening taught of variants that say nothing of their size, by URL.
        var sizes: [String: PixelSize] = [:]
        var zero: MediaTime?
    }

    private let state = Locked(State())
    let provider: any RemoteResourceProvider
    let limits: PlaylistLimits
    /// See `TimestampAdjuster`.
    let measuredShifts = TimestampAdjuster.Shifts([:])
    /// Resources that are held though nobody reads them. Each of them holds what came last of it, in memory.
    private static let recentLimit = 8

    package init(provider: any RemoteResourceProvider, limits: PlaylistLimits = PlaylistLimits()) {
        self.provider = provider
        self.limits = limits
    }

    /// The same source for all who read it at the same time, and shortly after. `since`: as for the opener.
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

    /// Of all resources of the presentation.
    var receivedBytes: Int64 {
        state.withLock { state in
            state.recent.reduce(state.formerBytes) { $0 + provider.receivedBytes(of: $1.source) }
        }
    }

    /// What failed for good, or is to be read anew.
    func forget(_ url: String) {
        state.withLock { state in
            for recent in state.recent where recent.url == url {
                state.formerBytes += provider.receivedBytes(of: recent.source)
            }
            state.recent.removeAll { $0.url == url }
        }
    }

    func playlist(_ url: String) -> LoadedPlaylist? { state.withLock { $0.playlists[url] } }

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

    /// It had no end when it was read last.
    func isLive(_ url: String) -> Bool { state.withLock { $0.live.contains(url) } }

    func key(_ url: String) -> [UInt8]? { state.withLock { $0.keys[url] } }
    func store(key: [UInt8], for url: String) { state.withLock { $0.keys[url] = key } }

    /// The containers' time that is zero on the item's timeline: as it was for the first who opened the presentation, so that
    /// all variants, and a live presentation joined later, have the same times.
    func zero(establishing found: MediaTime) -> MediaTime {
        state.withLock { state in
            if let known = state.zero { return known }
            state.zero = found
            return found
        }
    }

    /// nil: nobody has opened it.
    var knownZero: MediaTime? { state.withLock { $0.zero } }

    func size(_ url: String) -> PixelSize? { state.withLock { $0.sizes[url] } }
    func store(size: PixelSize, for url: String) { state.withLock { $0.sizes[url] = size } }
}
