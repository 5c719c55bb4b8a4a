import MediaCore
import PlayheadBackend

/// The item that an interstitial has interrupted. It stays open with its decoded frames, so that playback continues at
/// once and with the next frame.
struct SuspendedItem {
    var item: OpenItem
    /// The scheduler's state: the pass, its position on the timeline, and what was delivered.
    var presentation: PresentationEpoch
    /// The item time at which playback continues.
    let position: ItemTime
    /// The times up to which the time observers have been called.
    let observed: TimeObservers.Progress
    /// The frame that was shown, or nil if there was none. It is shown again for the rest of its duration.
    let frame: VideoFrame?
    /// The result of opening the item, if it arrived during the interstitial.
    var opened: (result: Result<ItemPipeline, MediaError>, item: MediaItem)?
}
