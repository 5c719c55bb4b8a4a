import MediaCore
import PlaybackEngine

/// Interstitials. The loop decides when one begins and ends.
extension PlayerCore {
    func playInterstitial(_ item: PlayerItem, _ rate: Float) {
        let isBusy = state.withLock { $0.item === item || $0.primary?.item === item || $0.isReleased }
        guard !isBusy else { return }
        if let old = item.core, old !== self { old.releaseItem(item) }
        let (id, queued, replaced) = state.withLock { state -> (ItemID, ItemID?, QueuedItem?) in
            // An item that waits in the queue leaves the queue.
            let index = state.queue.firstIndex { $0.item === item }
            let queued = index.map { state.queue.remove(at: $0).id }
            state.ids += 1
            let new = QueuedItem(item: item, id: ItemID(state.ids))
            defer { state.pendingInterstitial = new }
            return (new.id, queued, state.pendingInterstitial)
        }
        if let queued { loop.send(.remove(queued)) }
        if let replaced { replaced.item.detach(from: replaced.id) }
        item.attach(PlayerItem.Attachment(id: id, core: self))
        dispatcher.register(item, id)
        let rate = rate.isNaN || rate == 0 ? 1 : max(-32, min(32, rate))
        loop.interrupt(with: id, source(of: item), rate: rate)
    }

    func cancelInterstitial() {
        let (pending, playing) = state.withLock {
            ($0.pendingInterstitial?.item, $0.isInterstitial ? $0.item : nil)
        }
        if let pending { remove(pending) }
        if let playing { remove(playing) }
    }

    /// Follows the loop to an interstitial, or back from one.
    ///
    /// - Returns: The item that leaves, or nil; or nil if the change concerns no interstitial.
    func updateInterstitial(from old: ItemID?, to new: ItemID?) -> (leaving: PlayerItem?, isHandled: Bool) {
        let result = followInterstitial(from: old, to: new)
        guard result.isHandled else { return result }
        // Its position is that of the interruption until it continues.
        if let primary = setting(\.primary), primary.id == old {
            primary.item.state.withLock { $0.keepPosition(loop.suspendedPosition) }
        }
        if let new {
            dispatcher.item(new)?.state.withLock { if $0.attachment?.id == new { $0.keepPosition(nil) } }
        }
        return result
    }

    private func followInterstitial(from old: ItemID?, to new: ItemID?) -> (
        leaving: PlayerItem?, isHandled: Bool
    ) {
        state.withLock { state in
            if let pending = state.pendingInterstitial, pending.id == new {
                state.pendingInterstitial = nil
                // Another item was set meanwhile, and the loop has yet to follow.
                guard state.itemID == old else { return (pending.item, true) }
                var leaving: PlayerItem?
                if state.isInterstitial {
                    leaving = state.item
                } else if let item = state.item, let id = state.itemID {
                    state.primary = QueuedItem(item: item, id: id)
                }
                state.item = pending.item
                state.itemID = pending.id
                state.isInterstitial = true
                state.seekTarget = nil
                return (leaving, true)
            }
            guard let primary = state.primary, primary.id == new, state.itemID == old else {
                return (nil, false)
            }
            let leaving = state.item
            state.advanceToNext()
            return (leaving, true)
        }
    }
}
