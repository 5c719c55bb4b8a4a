import MediaCore

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
