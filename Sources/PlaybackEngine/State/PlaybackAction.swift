package import MediaCore

/// An action that the loop has to execute. Actions are executed in the order of the list.
package enum PlaybackAction: Hashable, Sendable {
    case open(ItemID)
    case close(ItemID)
    /// Seeks to the request's target and delivers from there. Everything that is older than the epoch is stale.
    case seek(Epoch, SeekRequest)
    /// Delivers from the timeline's current time, with audio. Everything that is older than the epoch is stale.
    case resumeAudio(Epoch)
    case completeSeek(SeekID, finished: Bool)
    case completePreroll(SeekID, finished: Bool)
    /// Sets the timeline's rate. A rate of 0 stops the timeline at its current time.
    case setTimelineRate(Float)
    /// Sets whether the demuxer continues at the start when it reaches the end.
    case setLooping(Bool)
    /// Continues with the next pass, whose frames are decoded already and follow the end of this one.
    case beginNextPass
    /// Delivers in the other direction from the timeline's current time. Everything that is older than the epoch is
    /// stale.
    case setDirection(Epoch, isReverse: Bool)
    /// Advances by a number of frames in the current direction. Only the last one is shown.
    case step(Int)
    /// Opens an item ahead of need.
    case prepare(ItemID, Epoch)
    /// Closes an item that was prepared.
    case discard(ItemID)
    /// Releases the source of an item that has left the queue.
    case forget(ItemID)
    /// Makes the prepared item the current one. In a seamless transition the timeline keeps running.
    case takeOver(ItemID, from: ItemID, isSeamless: Bool)
    /// Opens an item that is to interrupt the current one.
    case prepareInterstitial(ItemID, Epoch)
    /// Makes the prepared interstitial the current item, and suspends the item that it interrupts, or closes the
    /// interstitial that it replaces. In a seamless transition the timeline keeps running.
    case beginInterstitial(ItemID, isSeamless: Bool)
    /// Closes the interstitial, and continues the suspended item at its position. Unless the timeline keeps running, it
    /// begins the epoch.
    case endInterstitial(ItemID, from: ItemID, Epoch, isSeamless: Bool)
    /// Closes the suspended item.
    case closePrimary(ItemID)
    /// Reports what was learned when the item was opened: its tracks and its presentation size.
    case describe(ItemID)
    /// Advances the switch of the current item to other settings. The second opening delivers in the epoch.
    case itemSwitch(ItemSwitch.Action, Epoch)
    /// Searches for the first frames of an epoch from an earlier position, in a new epoch. Everything that belongs to
    /// the old one is stale.
    case searchEarlier(than: Epoch, Epoch)
    case post(PlaybackChange)
}
