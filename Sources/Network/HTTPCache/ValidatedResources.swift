internal import MediaCore

/// What an asset has learned of the resources that its playlists refer to, so that it asks about each of them once.
///
/// Any thread.
final class ValidatedResources: Sendable {
    private struct State {
        /// The states of resources that the server has confirmed to this asset, and when.
        var identities: [HTTPResourcePool.Key: (identity: CacheIndex.Identity, time: Int64)] = [:]
        /// Origins that could not be reached, and when.
        var unreachableOrigins: [String: Int64] = [:]
        var aheadLimit: Int64?
    }

    /// What a server has said since then holds for the asset. On the machine's clock.
    let creationTime = TransferLoop.now
    private let state = Locked(State())

    private static let identityLimit = 20_000

    /// The server has said at that time that this is what the resource is.
    func recordValidation(_ identity: CacheIndex.Identity, of key: HTTPResourcePool.Key, at time: Int64) {
        state.withLock { state in
            guard state.identities.count < Self.identityLimit || state.identities[key] != nil else { return }
            state.identities[key] = (identity, time)
        }
    }

    /// When the server has said that this is what the resource is; nil: it has not.
    func validationTime(of identity: CacheIndex.Identity, _ key: HTTPResourcePool.Key) -> Int64? {
        state.withLock { state in
            state.identities[key].flatMap { $0.identity == identity ? $0.time : nil }
        }
    }

    func recordUnreachable(of origin: String) {
        state.withLock { $0.unreachableOrigins[origin] = TransferLoop.now }
    }

    /// It could not be reached less than so many nanoseconds ago.
    func isUnreachable(_ origin: String, for duration: Int64) -> Bool {
        state.withLock { state in
            state.unreachableOrigins[origin].map { TransferLoop.now - $0 < duration } ?? false
        }
    }

    /// Bytes that are fetched ahead of each reader of a part; nil: as many as ever.
    var aheadLimit: Int64? {
        get { state.withLock { $0.aheadLimit } }
        set { state.withLock { $0.aheadLimit = newValue } }
    }
}
