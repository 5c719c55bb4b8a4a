import MediaCore
import PlayheadBackend

/// The item times at which playback of an item ends.
struct ItemEnds: Hashable {
    /// The `forwardPlaybackEndTime`, or nil for the end of the data.
    var forward: ItemTime?
    /// The `reversePlaybackEndTime`.
    var reverse = ItemTime.zero

    init() {}

    init(of item: MediaItem) {
        forward = ItemTime(item.forwardEnd)
        reverse = ItemTime(item.reverseEnd) ?? .zero
    }
}
