import MediaCore

/// The tracks of an item whose data could not be read lately. Variants with fewer of them are preferred for a while: a
/// track that all variants share makes no difference.
struct TrackFailures: Sendable {
    /// The time for which a track is avoided: a minute. A server may have recovered by then, and one more attempt costs
    /// little.
    static let duration: Int64 = 60_000_000_000

    private var times: [Int: HostTime] = [:]

    /// Returns the number of such tracks that a variant has.
    func count(in variant: Variant) -> Int { variant.trackIDs.count { times[$0] != nil } }

    /// Adds a track, or prolongs the time for which it is avoided.
    mutating func add(_ track: Int, at now: HostTime) { times[track] = now }

    /// Removes the tracks that have been avoided long enough. Returns true if there were any.
    mutating func removeExpired(at now: HostTime) -> Bool {
        let count = times.count
        times = times.filter { now.nanoseconds(since: $0.value) < Self.duration }
        return times.count < count
    }
}

extension MediaError {
    /// Whether data could not be read, and what follows may be readable, as after a missing segment.
    var isUnreadData: Bool { isRetryable && code != .decodeFailed }
}
