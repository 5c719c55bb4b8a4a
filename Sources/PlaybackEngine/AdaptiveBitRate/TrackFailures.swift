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

/// Variants whose data cannot be read.
extension PlaybackLoop {
    /// Returns the tracks of an item that are to be avoided.
    func failures(of id: ItemID) -> TrackFailures {
        [current, next].compactMap(\.self).first { $0.id == id }?.failures ?? TrackFailures()
    }

    /// Avoids the track of an error for a while, if there are variants without it.
    ///
    /// - Parameters:
    ///   - error: An error from which reading continues, such as a missing segment.
    ///   - newestFault: The faults of the opening that reports the error.
    func avoidTrack(of error: MediaError, in newestFault: Locked<MediaError?>) {
        guard error.isUnreadData, let track = error.track else { return }
        if next?.newestFault === newestFault {
            next?.failures.add(track, at: now)
        } else if [current, replacement].contains(where: { $0?.newestFault === newestFault }) {
            current?.failures.add(track, at: now)
        } else {
            return
        }
        chooseVariants()
    }

    /// Chooses variants again when a track has been avoided long enough.
    func updateFailures(at now: HostTime) {
        if current?.failures.removeExpired(at: now) == true { chooseVariants() }
    }
}

extension MediaError {
    /// Whether data could not be read, and what follows may be readable, as after a missing segment.
    var isUnreadData: Bool { isRetryable && code != .decodeFailed }
}
