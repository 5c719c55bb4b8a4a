internal import MediaCore
internal import PlayheadBackend

extension Rendition {
    /// The difference between the playlist and the media above which a search continues at another segment: a target
    /// duration and a second. Within it, the segment is the right one or next to it.
    var driftLimit: MediaTime {
        MediaTime(value: playlist.targetDuration, timescale: 1_000_000) + MediaTime(value: 1, timescale: 1)
    }

    /// Returns the next packet as `peek()` does, but skips segments that cannot be read. `peek()` reports them after
    /// the search, so that a missing segment does not end a seek.
    func peekInSearch() throws(MediaError) -> Poll<Packet?> {
        while true {
            let lostBefore = lostSegments
            do throws(MediaError) {
                return try nextPacket()
            } catch {
                // Only the number of lost segments is limited. A search that goes back may read one of them again.
                guard error.isRetryable, lostSegments > lostBefore else { throw error }
                if !unreportedLosses.contains(error) { unreportedLosses.append(error) }
            }
        }
    }
}
