import MediaCore
import PlayheadBackend

/// Where playing an item ends.
struct ItemEnds: Hashable {
    /// `forwardPlaybackEndTime`; nil: the end of the data.
    var forward: ItemTime?
    /// `reversePlaybackEndTime`.
    var reverse = ItemTime.zero

    init() {}

    init(of item: MediaItem) {
        forward = ItemTime(item.forwardEnd)
        reverse = ItemTime(item.reverseEnd) ?? .zero
    }
}
