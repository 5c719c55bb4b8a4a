package import MediaCore

/// What the loop must do now, in this order.
package enum PlaybackAction: Hashable, Sendable {
    case open(ItemID)
    case close(ItemID)
    /// Everything older than `epoch` is stale; deliver from the request's target on.
    case seek(Epoch, SeekRequest)
    case completeSeek(SeekID, finished: Bool)
    case completePreroll(SeekID, finished: Bool)
    /// 0 stops the timeline where it is.
    case setTimelineRate(Float)
    /// Whether the demuxer goes on at the start when it comes to the end.
    case setLooping(Bool)
    /// Go on into the next pass, which lies decoded behind the end of this one.
    case beginNextPass
    /// Deliver in the other direction from where the timeline stands; everything older than `epoch` is stale.
    case setDirection(Epoch, isReverse: Bool)
    /// So many frames on in the present direction; only the last one is shown.
    case step(Int)
    /// Open an item ahead of need.
    case prepare(ItemID, Epoch)
    /// Close what was prepared.
    case discard(ItemID)
    /// The item is not in the queue any more.
    case forget(ItemID)
    /// The prepared item becomes the current one. Seamless: time runs on through the seam.
    case takeOver(ItemID, from: ItemID, isSeamless: Bool)
    /// Tell what opening the item taught: tracks and frame size.
    case describe(ItemID)
    case post(PlaybackNotice)
}
