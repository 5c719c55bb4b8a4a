package import MediaCore
import PlayheadBackend

/// A report of the loop: what happened, and when.
package struct PlaybackReport: Sendable {
    package enum Content: Sendable {
        case notice(PlaybackNotice)
        case presentationSizeChanged(ItemID, PixelSize)
        case tracksChanged(ItemID)
        /// Other tracks of the current item are played.
        case selectionChanged(ItemID)
        /// The choice of tracks with this number has been applied as far as possible.
        case choiceApplied(ItemID, UInt64)
        /// The actual rate of the timeline has changed. It is 0 while the timeline is stopped.
        case effectiveRateChanged(ItemID, Float)
        /// The range that has been loaded, in item time, has changed. It is nil if nothing is loaded.
        case loadedRangeChanged(ItemID, MediaTimeRange?)
        /// The first frame of the item or of a seek has reached the sinks.
        case readyForDisplayChanged(ItemID, Bool)
        case seekCompleted(SeekID, finished: Bool)
        case prerollCompleted(SeekID, finished: Bool)
        /// Data was lost, and playback continues.
        case fault(ItemID?, MediaError)
        case sinkFailed(MediaError, any Error)
        /// Decoding is too slow and video frames are skipped, or it is fast enough again.
        case decodingFellBehind(ItemID)
        case decodingKeepsUp(ItemID, skipped: Int)
    }

    package var content: Content
    /// The time of the loop's clock at which it happened.
    package var host: HostTime
    /// The item time at which it happened.
    package var itemTime: MediaTime
}
