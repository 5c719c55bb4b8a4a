public import CoreMedia
import MediaCore
import Playhead

/// Live streams: HLS playlists over a network that have no end yet.
extension AVPlayerItem {
    /// The offset from the live edge at which to play; invalid, the default, selects the recommended offset. It takes
    /// effect when the item is opened, with a seek to the end of the seekable range or after it (`CMTime.positiveInfinity`),
    /// and after a pause or a stall if the offset is preserved.
    nonisolated public var configuredTimeOffsetFromLive: CMTime {
        get { CMTime(item.configuredTimeOffsetFromLive) }
        set { item.configuredTimeOffsetFromLive = MediaTime(newValue) }
    }

    /// The recommended offset from the live edge: the `HOLD-BACK` of the playlist, or three target durations. Invalid
    /// until the item is ready, and if it is not live.
    nonisolated public var recommendedTimeOffsetFromLive: CMTime {
        CMTime(item.recommendedTimeOffsetFromLive)
    }

    /// A Boolean value that indicates whether the offset from the live edge is restored after a pause or a stall; false
    /// by default. After a seek that was made meanwhile, playback continues where it was sought to.
    nonisolated public var automaticallyPreservesTimeOffsetFromLive: Bool {
        get { item.automaticallyPreservesTimeOffsetFromLive }
        set { item.automaticallyPreservesTimeOffsetFromLive = newValue }
    }
}
