import MediaCore
import PlaybackEngine

/// Interstitials. The loop decides when one begins and ends.
extension PlayerCore {
    func playInterstitial(_ item: PlayerItem, _ rate: Float) {
        guard canInterrupt(item) else { return }
        if let old = item.core, old !== self { old.releaseItem(item) }
        let (replaced, former) = itemChanges.withLock { _ in pendInterstitial(item, rate) }
        executeCommands()
        complete(Assignment(former: former), of: item)
        guard let replaced else { return }
        forgetAbandoned(replaced.id)
        retainUntilProcessed(replaced.item)
    }

    private func canInterrupt(_ item: PlayerItem) -> Bool {
        state.withLock { $0.item !== item && $0.primary?.item !== item && !$0.isReleased }
    }

    /// Attaches an item that is to interrupt the current one, if it can. Called within `itemChanges`.
    ///
    /// - Returns: The interstitial that was being opened and is abandoned, and the other player that had the item.
    private func pendInterstitial(
        _ item: PlayerItem,
        _ rate: Float
    ) -> (replaced: QueuedItem?, former: PlayerCore?) {
        // Another thread may have made it the current item meanwhile.
        guard canInterrupt(item) else { return (nil, nil) }
        let (id, queued, replaced) = state.withLock { state -> (ItemID, ItemID?, QueuedItem?) in
            // An item that waits in the queue leaves the queue.
            let index = state.queue.firstIndex { $0.item === item }
            let queued = index.map { state.queue.remove(at: $0).id }
            state.ids += 1
            let new = QueuedItem(item: item, id: ItemID(state.ids))
            defer { state.pendingInterstitial = new }
            return (new.id, queued, state.abandonPendingInterstitial())
        }
        if let queued { addCommand { $0.handle(.remove(queued)) } }
        if let replaced {
            replaced.item.detach(from: replaced.id, of: self)
            addCommand { $0.handle(.remove(replaced.id)) }
        }
        let former = item.attach(PlayerItem.Attachment(id: id, core: self))
        dispatcher.register(item, id)
        let clamped = PlaybackRate.clamped(rate)
        let rate = clamped == 0 ? 1 : clamped
        let source = source(of: item)
        addCommand { $0.interrupt(with: id, source, rate: rate) }
        return (replaced, former)
    }

    func cancelInterstitial() {
        let (pending, playing) = state.withLock {
            ($0.pendingInterstitial?.item, $0.isInterstitial ? $0.item : nil)
        }
        if let pending { remove(pending) }
        if let playing { remove(playing) }
    }

    /// Forgets that an interstitial was abandoned, once the loop has removed it.
    func forgetAbandoned(_ id: ItemID) {
        guard setting(\.abandoned).contains(id) else { return }
        loop.perform { [weak self] _ in self?.state.withLock { _ = $0.abandoned.remove(id) } }
    }

    /// Seeks in an interrupted item that continues to the position that was requested during the interstitial, if any.
    func seekAfterInterstitial(_ primary: QueuedItem) {
        let item = primary.item
        guard self.item === item else { return }
        let target = item.state.withLock { state -> (time: MediaTime, toleranceBefore: MediaTime)? in
            guard state.isAttached(to: self, primary.id), !state.isPositionKept else { return nil }
            defer { state.startPosition = nil }
            return state.startPosition
        }
        guard let target, let seek = makeSeek(item, target.time, target.toleranceBefore, nil) else { return }
        loop.send(.seek(seek.request))
        acknowledge(seek.command)
    }

    /// Follows the loop to an interstitial, or back from one.
    ///
    /// - Returns: The item that leaves, or nil; or nil if the change concerns no interstitial.
    func updateInterstitial(from old: ItemID?, to new: ItemID?) -> (leaving: PlayerItem?, isHandled: Bool) {
        let primary = setting(\.primary)
        let result = followInterstitial(from: old, to: new)
        guard result.isHandled else { return result }
        // Its position is that of the interruption until it continues.
        if let suspended = state.withLock({ $0.suspended }), suspended.id == old {
            suspended.item.state.withLock { state in
                // Another thread may have sought in it since it has left.
                if state.startPosition == nil || state.isPositionKept {
                    state.keepPosition(loop.suspendedPosition)
                }
            }
        }
        if let new { finishStart(of: new, isContinued: primary?.id == new) }
        return result
    }

    private func followInterstitial(from old: ItemID?, to new: ItemID?) -> (
        leaving: PlayerItem?, isHandled: Bool
    ) {
        state.withLock { state in
            // The loop has begun an abandoned interstitial, or has returned from one.
            if new == old || new != nil && new == state.skipped?.interstitial { return (nil, true) }
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

extension PlayerCore.State {
    /// Removes the interstitial that is being opened.
    ///
    /// - Returns: The interstitial, which is to be removed from the loop; or nil if there was none.
    mutating func abandonPendingInterstitial() -> PlayerCore.QueuedItem? {
        guard let pending = pendingInterstitial else { return nil }
        pendingInterstitial = nil
        abandoned.insert(pending.id)
        return pending
    }

    /// Returns the item that the loop leaves for another one. An abandoned interstitial counts as the item before it,
    /// so that this side need not follow the loop to it and back.
    mutating func itemLeft(for new: ItemID?, reported: ItemID?) -> ItemID? {
        var old = reported
        if let last = skipped, last.interstitial == reported {
            old = last.before
            skipped = nil
        }
        if let new, abandoned.contains(new) { skipped = (new, old) }
        return old
    }

    /// The item that the loop has suspended, as far as this side knows.
    fileprivate var suspended: PlayerCore.QueuedItem? {
        if let primary { return primary }
        return skipped == nil ? nil : current
    }
}
