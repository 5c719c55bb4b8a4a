internal import MediaCore

/// The validations that an asset has received for the resources its playlists refer to, so that each resource is
/// revalidated once per asset.
///
/// Thread safe.
final class ValidatedResources: Sendable {
    private struct State {
        /// The representations that the server has validated for this asset, and when.
        var identities: [HTTPResourcePool.Key: (identity: CacheIndex.Identity, time: Int64)] = [:]
        /// The origins that could not be reached, and when.
        var unreachableOrigins: [String: Int64] = [:]
        var aheadLimit: Int64?
    }

    /// When the asset was opened, by the machine's clock. Later validations need not be repeated for it.
    let creationTime = TransferLoop.now
    private let state = Locked(State())

    private static let identityLimit = 20_000

    /// Records that the server has validated a representation at the given time.
    func recordValidation(_ identity: CacheIndex.Identity, of key: HTTPResourcePool.Key, at time: Int64) {
        state.withLock { state in
            guard state.identities.count < Self.identityLimit || state.identities[key] != nil else { return }
            state.identities[key] = (identity, time)
        }
    }

    /// Returns when the server has validated the representation, or nil if it has not.
    func validationTime(of identity: CacheIndex.Identity, _ key: HTTPResourcePool.Key) -> Int64? {
        state.withLock { state in
            state.identities[key].flatMap { $0.identity == identity ? $0.time : nil }
        }
    }

    /// Records that the origin cannot be reached now.
    func recordUnreachable(of origin: String) {
        state.withLock { $0.unreachableOrigins[origin] = TransferLoop.now }
    }

    /// Returns true if the origin could not be reached within the last `duration` nanoseconds.
    func isUnreachable(_ origin: String, for duration: Int64) -> Bool {
        state.withLock { state in
            state.unreachableOrigins[origin].map { TransferLoop.now - $0 < duration } ?? false
        }
    }

    /// The maximum number of bytes to fetch ahead of each reader of a segment, or nil for the limit of the policy.
    var aheadLimit: Int64? {
        get { state.withLock { $0.aheadLimit } }
        set { state.withLock { $0.aheadLimit = newValue } }
    }
}
