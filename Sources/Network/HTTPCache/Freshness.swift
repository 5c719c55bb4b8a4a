internal import MediaCore

/// The freshness of stored responses for one asset, and the rules by which it may use them (RFC 9111,
/// section 4).
///
/// The first rule that applies decides:
///
/// | stored response | use |
/// |---|---|
/// | the server has not answered yet: its first response is the validation | `.fresh` |
/// | it has failed, or changes with every request | `.unusable` |
/// | it is being read, and was validated within `freshnessLifetime` | `.fresh` |
/// | it was validated at or after the time that the asset requires | `.fresh` |
/// | it has no validator, or the server sends its bytes only once | `.unusable` |
/// | it is a segment that the server has validated for this asset | `.fresh` |
/// | it is complete, and this asset found its origin unreachable within `unreachableTTL` | `.staleIfUnreachable` |
/// | any other | `.stale` |
///
/// A stale response is revalidated by one conditional request. The result applies to all assets that wait for it:
///
/// | revalidation | stored response | use |
/// |---|---|---|
/// | 304, or a response with the same validator | any | `.fresh` |
/// | the origin is unreachable, or reports a temporary failure | complete | `.staleIfUnreachable` |
/// | the origin is unreachable, or reports a temporary failure | incomplete | `.unusable` |
/// | another representation, or an error | any | `.unusable` |
struct Freshness: Sendable {
    /// The permitted use of a stored response.
    enum Use: Hashable, Sendable {
        /// It may be used without a request.
        case fresh
        /// It may be used without validation, because its origin is unreachable (RFC 9111, section 4.2.4).
        case staleIfUnreachable
        /// It may be used after the server has validated it.
        case stale
        /// The resource must be fetched.
        case unusable
    }

    /// The time after which the server must have validated a response.
    enum Requirement: Hashable, Sendable {
        /// Since the asset opened the resource.
        case file
        /// Since the asset was created: a segment, map or key of a presentation that has ended, whose content is
        /// fixed.
        case segment
        /// At or after a time of the clock.
        case validated(Int64)
    }

    /// When the asset was created, in nanoseconds of the clock.
    let creationTime: Int64
    /// The representations of segments that the server has validated for this asset, and when.
    private var validations: [HTTPResource: (identity: CacheIndex.Identity, time: Int64)] = [:]
    /// The origins that could not be reached, and when.
    private var unreachableOrigins: [String: Int64] = [:]

    private static let validationLimit = 20_000

    init(creationTime: Int64) { self.creationTime = creationTime }

    /// Returns how the asset may use a stored response now.
    func use(
        of response: StoredResponse,
        _ resource: HTTPResource,
        _ requirement: Requirement,
        at now: Int64,
        _ policy: HTTPRepresentation.Policy
    ) -> Use {
        guard !response.isPending else { return .fresh }
        guard response.isUsable else { return .unusable }
        if let time = response.validationTime {
            if response.isBeingRead, now - time < policy.freshnessLifetime { return .fresh }
            if time >= requiredTime(requirement), response.isShareable || response.isComplete {
                return .fresh
            }
        }
        guard let identity = response.identity, response.isShareable else { return .unusable }
        if requirement == .segment, validationTime(of: identity, resource) != nil { return .fresh }
        if response.isComplete, let time = unreachableOrigins[resource.address.origin],
            now - time < policy.unreachableTTL
        {
            return .staleIfUnreachable
        }
        return .stale
    }

    /// Returns how all assets that wait for a revalidation may use the stored response.
    static func use(of response: StoredResponse, after outcome: Revalidation.Outcome) -> Use {
        switch outcome {
        case .notModified: .fresh
        case .unreachable where response.isComplete: .staleIfUnreachable
        case .changed, .unreachable: .unusable
        }
    }

    private func requiredTime(_ requirement: Requirement) -> Int64 {
        switch requirement {
        case .file: .max
        case .segment: creationTime
        case .validated(let time): time
        }
    }

    /// Returns when the server has validated the representation for this asset, or nil if it has not.
    func validationTime(of identity: CacheIndex.Identity, _ resource: HTTPResource) -> Int64? {
        validations[resource].flatMap { $0.identity == identity ? $0.time : nil }
    }

    /// Records that the server has validated a representation at the given time.
    mutating func recordValidation(
        of identity: CacheIndex.Identity,
        _ resource: HTTPResource,
        at time: Int64
    ) {
        guard validations.count < Self.validationLimit || validations[resource] != nil else { return }
        validations[resource] = (identity, time)
    }

    /// Records that the origin of a resource cannot be reached at the given time.
    mutating func recordUnreachable(_ resource: HTTPResource, at time: Int64) {
        unreachableOrigins[resource.address.origin] = time
    }
}
