package import MediaCore
import PlayheadBackend

/// An event as it leaves the loop: what happened, and when.
package struct PlaybackReport: Sendable {
    package enum Content: Sendable {
        case notice(PlaybackNotice)
        case presentationSizeChanged(ItemID, PixelSize)
        case tracksChanged(ItemID)
        /// Other tracks of the current item are played.
        case selectionChanged(ItemID)
        /// What was chosen up to this number is played, as far as it can be.
        case choiceApplied(ItemID, UInt64)
        /// How fast time really runs; 0 while it stands.
        case effectiveRateChanged(ItemID, Float)
        /// What is read ahead, in item time; nil: nothing.
        case loadedRangeChanged(ItemID, MediaTimeRange?)
        /// The first frame of the item (or of a seek) has reached the sinks.
        case readyForDisplayChanged(ItemID, Bool)
        case seekCompleted(SeekID, finished: Bool)
        case prerollCompleted(SeekID, finished: Bool)
        /// Playback goes on, but something was lost.
        case fault(ItemID?, MediaError)
        case sinkFailed(MediaError, any Error)
        /// Decoding is too slow, and video frames are left out; or it is fast enough again.
        case decodingFellBehind(ItemID)
        case decodingKeepsUp(ItemID, skipped: Int)
    }

    package var content: Content
    /// The loop's clock at the time.
    package var host: HostTime
    /// Item time at the time.
    package var itemTime: MediaTime
}
