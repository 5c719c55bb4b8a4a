/// Interstitials: items that interrupt the current one, which then continues where it was.
extension QueuePlayer {
    /// Plays an item at once, and then continues the current one where it was.
    ///
    /// The item is opened while the current one continues to play, and interrupts it when its first frames are decoded.
    /// The frame that is shown stays until then, and audio on a device has no gap. When the interstitial has been played,
    /// has failed or is removed, the interrupted item continues at the same position, at the rate that it had: the frame
    /// at that position is shown again, followed by the next one. The interrupted item stays open meanwhile, so that
    /// nothing has to be read or decoded again.
    ///
    /// During the interstitial:
    ///
    /// * `currentItem` is the interstitial and `primaryItem` the interrupted item. `items()` has both, in this order.
    /// * `rate`, seeks and steps concern the interstitial. If the player is paused when it is removed, the interrupted
    ///   item continues paused. `repeatMode` and `actionAtItemEnd` concern the interrupted item: an interstitial is
    ///   played once.
    /// * A seek of the interrupted item that has not finished, a stall, a pause, steps and changed settings continue with
    ///   that item. If the item itself is sought during the interstitial (`PlayerItem.seek(to:)`), it continues at
    ///   that position.
    /// * A start of the interrupted item at a later host time (`setRate(_:time:atHostTime:)`) is cancelled: the
    ///   interstitial does not wait for it, and the item starts after the interstitial.
    /// * `advanceToNextItem()`, or removing the interstitial, ends it. Removing the interrupted item lets the queue follow
    ///   the interstitial. `replaceCurrentItem(with:)` removes both, unless the new item is the interrupted one.
    /// * Another interstitial replaces this one, and the interrupted item continues after it. Interstitials do not nest:
    ///   at most one item is suspended, so memory is bounded, and what was requested last is played first.
    ///
    /// If there is no current item, the queue continues after the interstitial. An item that cannot be opened sets its
    /// `status` to `.failed` and interrupts nothing. `PlayerEvent.interstitialBegan(_:)` and `interstitialEnded(_:)`
    /// report both ends. The method may be called from any thread and does not wait. It has no effect for the current or
    /// the interrupted item.
    ///
    /// - Parameters:
    ///   - item: The item to play. An item that waits in the queue leaves the queue, and one of another player moves to
    ///     this player.
    ///   - rate: The rate at which it plays, in the range -32...32, also if the player is paused.
    public func playInterstitial(_ item: PlayerItem, atRate rate: Float = 1) {
        core.playInterstitial(item, rate)
    }

    /// Ends the interstitial that plays, and cancels one that is being opened. The interrupted item continues. Has no
    /// effect without an interstitial.
    public func cancelInterstitial() { core.cancelInterstitial() }

    /// The item that the current one has interrupted and that continues after it, or nil. The property may be read from
    /// any thread, and cannot be observed; `PlayerEvent.interstitialBegan(_:)` reports changes.
    public var primaryItem: PlayerItem? { core.setting(\.primary)?.item }
}
