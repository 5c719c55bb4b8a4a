import MediaCore

/// Variants whose data cannot be read.
extension PlaybackLoop {
    /// Returns the tracks of an item that are to be avoided.
    func failures(of id: ItemID) -> TrackFailures {
        opening(of: id)?.failures ?? TrackFailures()
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
