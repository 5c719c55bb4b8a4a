internal import MediaCore

/// What an asset has learned of the resources that its playlists refer to, so that it asks about each of them once.
///
/// Any thread.
final class KnownParts: Sendable {
    private struct State {
        /// The states of resources that the server has confirmed to this asset.
        var identities: [SharedSources.Key: CacheIndex.Identity] = [:]
        /// Origins that could not be reached, and when.
        var silent: [String: Int64] = [:]
        var aheadLimit: Int64?
    }

    /// What a server has said since then holds for the asset. On the machine's clock.
    let begun = TransferLoop.now
    private let state = Locked(State())

    private static let limit = 20_000
    /// Nanoseconds for which an origin that could not be reached is not asked about what is there as a whole.
    private static let peace: Int64 = 60_000_000_000

    /// The server has said that this is what the resource is.
    func note(_ identity: CacheIndex.Identity, of key: SharedSources.Key) {
        state.withLock { state in
            guard state.identities.count < Self.limit || state.identities[key] != nil else { return }
            state.identities[key] = identity
        }
    }

    func isRight(_ identity: CacheIndex.Identity, of key: SharedSources.Key) -> Bool {
        state.withLock { $0.identities[key] == identity }
    }

    func noteSilence(of origin: String) { state.withLock { $0.silent[origin] = TransferLoop.now } }

    func isSilent(_ origin: String) -> Bool {
        state.withLock { state in
            state.silent[origin].map { TransferLoop.now - $0 < Self.peace } ?? false
        }
    }

    /// Bytes that are fetched ahead of each reader of a part; nil: as many as ever.
    var aheadLimit: Int64? {
        get { state.withLock { $0.aheadLimit } }
        set { state.withLock { $0.aheadLimit = newValue } }
    }
}

/// Under what terms a resource is opened.
struct SharedTerms: Sendable {
    /// Where its server has spoken of it since then, it is not asked again. On the machine's clock.
    var since = Int64.max
    /// What its asset knows.
    var parts: KnownParts?
    /// Another resource refers to it.
    var isNested = false
    /// It is one of those that do not change while the asset is there.
    var isPart = false
    /// What is sent with requests, where the options name none.
    var cookies: CookieStore?
}
