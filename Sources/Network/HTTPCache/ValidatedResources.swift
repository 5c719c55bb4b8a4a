internal import MediaCore

/// What an asset has learned of the resources that its playlists refer to, so that it asks about each of them once.
///
/// Any thread.
final class ValidatedResources: Sendable {
    private struct State {
        /// The states of resources that the server has confirmed to this asset, and when.
        var identities: [HTTPResourcePool.Key: (identity: CacheIndex.Identity, time: Int64)] = [:]
        /// Origins that could not be reached, and when.
        var silent: [String: Int64] = [:]
        var aheadLimit: Int64?
    }

    /// What a server has said since then holds for the asset. On the machine's clock.
    let begun = TransferLoop.now
    private let state = Locked(State())

    private static let limit = 20_000

    /// The server has said at that time that this is what the resource is.
    func note(_ identity: CacheIndex.Identity, of key: HTTPResourcePool.Key, at time: Int64) {
        state.withLock { state in
            guard state.identities.count < Self.limit || state.identities[key] != nil else { return }
            state.identities[key] = (identity, time)
        }
    }

    /// When the server has said that this is what the resource is; nil: it has not.
    func time(of identity: CacheIndex.Identity, _ key: HTTPResourcePool.Key) -> Int64? {
        state.withLock { state in
            state.identities[key].flatMap { $0.identity == identity ? $0.time : nil }
        }
    }

    func noteSilence(of origin: String) { state.withLock { $0.silent[origin] = TransferLoop.now } }

    /// It could not be reached less than so many nanoseconds ago.
    func isSilent(_ origin: String, for peace: Int64) -> Bool {
        state.withLock { state in
            state.silent[origin].map { TransferLoop.now - $0 < peace } ?? false
        }
    }

    /// Bytes that are fetched ahead of each reader of a part; nil: as many as ever.
    var aheadLimit: Int64? {
        get { state.withLock { $0.aheadLimit } }
        set { state.withLock { $0.aheadLimit = newValue } }
    }
}

/// Under what terms a resource is opened.
struct FreshnessRequirement: Sendable {
    /// Where its server has spoken of it since then, it is not asked again. On the machine's clock.
    var since = Int64.max
    /// What its asset knows.
    var parts: ValidatedResources?
    /// Another resource refers to it.
    var isNested = false
    /// It is one of those that do not change while the asset is there.
    var isPart = false
    /// What is sent with requests, where the options name none.
    var cookies: CookieStore?
}
