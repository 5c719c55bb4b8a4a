package import MediaCore
import PlayheadBackend

/// The track and the range that a `TrackReader` reads.
package struct TrackReaderSettings: Sendable {
    /// `.video` or `.audio`.
    package var mediaType: MediaType
    /// The track. By default it is the one that a player plays.
    package var track: TrackChoice
    /// The item time of an exact start: the frame due at this time is the first one. Nil for the beginning.
    package var start: MediaTime?
    /// The item time at which reading ends, or nil for the end of the data.
    package var end: MediaTime?
    /// Whether only key frames are decoded, from the first one at or after `start`.
    package var readsOnlyKeyFrames = false

    package init(
        _ mediaType: MediaType,
        track: TrackChoice = .automatic,
        start: MediaTime? = nil,
        end: MediaTime? = nil
    ) {
        self.mediaType = mediaType
        self.track = track
        self.start = start.flatMap { $0 > .zero ? $0 : nil }
        self.end = end
    }

    /// The epoch in which reading begins, with the earlier positions to search at.
    var firstEpoch: ItemEpoch {
        let isExact = start != nil && !readsOnlyKeyFrames
        let first = EpochStart(
            epoch: Epoch().next,
            firstWanted: isExact ? start : nil,
            demuxTarget: start,
            isLastAttempt: !isExact
        )
        return ItemEpoch(start: first, retry: isExact ? SeekRetry(target: start ?? .zero) : SeekRetry())
    }
}
