package import MediaCore

/// The resources that all readers of a presentation share: playlists that have ended, keys, and the most recent
/// sources. Other bytes are kept by the provider.
package final class PresentationResources: Sendable {
    private struct State {
        var playlists: [String: Playlist] = [:]
        var keys: [String: [UInt8]] = [:]
        /// The URLs of `keys`, in the order in which they were loaded.
        var keyURLs: [String] = []
        /// The most recently used sources, in order of use. `openTime` is by the clock of `root`.
        var recent: [(url: String, source: any ResourceByteSource, openTime: Int64)] = []
        /// The playlists that had no end when they were read last.
        var live: Set<String> = []
        /// The number of bytes received by sources that were released.
        var formerBytes: Int64 = 0
        /// The actual sizes of variant streams that declare none, by URL.
        var sizes: [String: PixelSize] = [:]
        var zero: MediaTime?
        var mainPlaylistURL: String?
        /// The window of a live presentation. Nil for other presentations.
        var liveWindow: LiveWindow?
        /// The time of the clock of `root` at which a reader that has read all segments reloads its playlist.
        var reloadTime: Int64 = 0
        /// The readers to wake when `zero` is known.
        var zeroWaiters: [WeakContext] = []
    }

    private struct WeakContext {
        weak var context: ReadContext?
    }

    private let state = Locked(State())
    /// The resource that the asset was created with. It opens all others.
    package let root: any ResourceByteSource
    let limits: PlaylistLimits
    /// The timestamp offsets of discontinuities. See `TimestampAdjuster`.
    let shifts = Locked(TimestampAdjuster.SharedShifts())
    /// The number of sources that stay open without readers. Each of them keeps its latest bytes in memory.
    private static let recentLimit = 8
    /// The number of keys that are kept. A live presentation may change its key as long as it is played.
    static let keyLimit = 1000

    package init(root: any ResourceByteSource, limits: PlaylistLimits = PlaylistLimits()) {
        self.root = root
        self.limits = limits
    }

    /// Whether the presentation consists of local files. They are opened when they are read, and are not shared.
    package var isLocal: Bool { root.isFile }

    /// Returns the source of a URL. Readers at about the same time get the same one. The other parameters are those
    /// of `ResourceByteSource.openReferenced`.
    func source(_ url: String, cachePolicy: CachePolicy = .everywhere, validatedAfter: Int64 = 0)
        throws(MediaError)
        -> any ResourceByteSource
    {
        if isLocal {
            return try root.openReferenced(url, cachePolicy: cachePolicy, validatedAfter: validatedAfter)
        }
        return try state.withLock { state throws(MediaError) in
            if let index = state.recent.firstIndex(where: { $0.url == url }) {
                let found = state.recent.remove(at: index)
                if found.openTime >= validatedAfter, found.source.isReusable {
                    state.recent.append(found)
                    return found.source
                }
                state.formerBytes += found.source.receivedBytes
            }
            let source = try root.openReferenced(
                url,
                cachePolicy: cachePolicy,
                validatedAfter: validatedAfter
            )
            state.recent.append((url, source, root.now))
            if state.recent.count > Self.recentLimit {
                state.formerBytes += state.recent.removeFirst().source.receivedBytes
            }
            return source
        }
    }

    /// The number of bytes received for all resources of the presentation, or nil if they are local files.
    var receivedBytes: Int64? {
        if isLocal { return nil }
        return state.withLock { state in
            state.recent.reduce(state.formerBytes) { $0 + $1.source.receivedBytes }
        }
    }

    /// Releases the source of a URL, because it failed permanently or must be read again.
    func forget(_ url: String) {
        state.withLock { state in
            for recent in state.recent where recent.url == url {
                state.formerBytes += recent.source.receivedBytes
            }
            state.recent.removeAll { $0.url == url }
        }
    }

    /// Returns a playlist that has ended and was loaded before.
    func playlist(_ url: String) -> Playlist? { state.withLock { $0.playlists[url] } }

    /// Stores a playlist that has ended. A live playlist is only recorded as live.
    func store(_ playlist: Playlist, for url: String) {
        state.withLock { state in
            if case .media(let media) = playlist, !media.hasEnded {
                state.live.insert(url)
            } else {
                state.live.remove(url)
                state.playlists[url] = playlist
            }
        }
    }

    /// Returns true if the playlist had no end when it was read last.
    func isLive(_ url: String) -> Bool { state.withLock { $0.live.contains(url) } }

    /// Returns a key that was loaded before.
    func key(_ url: String) -> [UInt8]? { state.withLock { $0.keys[url] } }
    /// Stores a key for later segments. Drops the oldest one if there are too many.
    func store(key: [UInt8], for url: String) {
        state.withLock { state in
            if state.keys.updateValue(key, forKey: url) == nil { state.keyURLs.append(url) }
            if state.keyURLs.count > Self.keyLimit { state.keys[state.keyURLs.removeFirst()] = nil }
        }
    }

    /// Returns the container time that corresponds to zero on the item's timeline. The first caller sets it, so that
    /// all variant streams and later readers of a live presentation have the same times. `url` is the URL of the media
    /// playlist whose segments it has opened.
    func zero(establishing found: MediaTime, of url: String?) -> MediaTime {
        let (zero, waiters) = state.withLock { state in
            let zero = state.zero ?? found
            state.zero = zero
            state.mainPlaylistURL = state.mainPlaylistURL ?? url
            defer { state.zeroWaiters = [] }
            return (zero, state.zeroWaiters)
        }
        for waiter in waiters { waiter.context?.wake() }
        return zero
    }

    /// Returns true if zero on the item's timeline is known. Otherwise the context is woken when it is.
    func isZeroKnown(orWake context: ReadContext) -> Bool {
        state.withLock { state in
            if state.zero != nil { return true }
            state.zeroWaiters.removeAll { $0.context == nil || $0.context === context }
            state.zeroWaiters.append(WeakContext(context: context))
            return false
        }
    }

    /// The container time that corresponds to zero, or nil before the presentation has been opened.
    var knownZero: MediaTime? { state.withLock { $0.zero } }
    /// The URL of the media playlist with which the presentation was opened first.
    var mainPlaylistURL: String? { state.withLock { $0.mainPlaylistURL } }

    /// The window of a live presentation by the newest playlist that was loaded. Nil for other presentations, and before
    /// the presentation has been opened.
    package var liveWindow: LiveWindow? { state.withLock { $0.liveWindow } }
    /// Replaces the window by that of another version of the playlist.
    func setLiveWindow(_ window: LiveWindow) {
        state.withLock { state in
            if state.liveWindow.map({ $0.updateTime <= window.updateTime }) ?? true {
                state.liveWindow = window
            }
        }
    }

    /// Whether a reader waits for a segment that is not in its live playlist yet.
    var awaitsSegment: Bool { root.now < state.withLock { $0.reloadTime } }
    /// Records that a reader waits until a playlist is reloaded.
    func noteAwaited(until time: Int64) { state.withLock { $0.reloadTime = max($0.reloadTime, time) } }

    /// Returns the actual size of a variant stream.
    func size(_ url: String) -> PixelSize? { state.withLock { $0.sizes[url] } }
    /// Stores the actual size of a variant stream.
    func store(size: PixelSize, for url: String) { state.withLock { $0.sizes[url] = size } }
}
