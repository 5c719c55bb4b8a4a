import MediaCore
import PlaybackEngine

/// The items behind the current one. The loop has the last word on which item is current: calls from here
/// name items, never positions, so that one that was played in between is not taken for another.
extension PlayerCore {
    struct QueuedItem {
        let item: PlayerItem
        let id: ItemID
    }

    func becomeQueue() {
        state.withLock { $0.hasQueue = true }
        setEndAction(.advance)
    }

    /// The current item first.
    var allItems: [PlayerItem] {
        state.withLock { [$0.item].compactMap(\.self) + $0.queue.map(\.item) }
    }

    func canInsert(_ item: PlayerItem, after other: PlayerItem?) -> Bool {
        let items = allItems
        guard !items.contains(where: { $0 === item }) else { return false }
        return other.map { other in items.contains { $0 === other } } ?? true
    }

    func insert(_ item: PlayerItem, after other: PlayerItem?) {
        guard canInsert(item, after: other) else { return }
        guard !allItems.isEmpty else { return replaceItem(with: item) }
        if let old = item.core, old !== self { old.close(of: item) }
        let place = changing { state.withLock { $0.enqueue(item, after: other) } }
        guard let place else { return }
        item.attach(PlayerItem.Attachment(id: place.id, core: self))
        watchers.remember(item, place.id)
        loop.insert(place.id, source(of: item), after: place.after)
    }

    func remove(_ item: PlayerItem) {
        let isCurrent = self.item === item
        let place = self.place(of: item)
        let removed = changing {
            state.withLock { state -> ItemID? in
                if state.item === item {
                    defer { state.takeNext() }
                    return state.itemID
                }
                guard let index = state.queue.firstIndex(where: { $0.item === item }) else { return nil }
                return state.queue.remove(at: index).id
            }
        }
        guard let removed else { return }
        if isCurrent {
            item.detach(from: removed, at: place)
        } else {
            item.detach(from: removed)
        }
        clearVideoOutput()
        loop.send(.remove(removed))
        keep(item)
    }

    /// Where nothing is current, the first of those that wait.
    func advance() {
        if let item { return remove(item) }
        changing { state.withLock { $0.takeNext() } }
        loop.send(.advance)
    }

    func removeAllItems() {
        let queued = state.withLock { state in
            defer { state.queue = [] }
            return state.queue
        }
        for entry in queued { entry.item.detach(from: entry.id) }
        loop.send(.removeUpcoming)
        replaceItem(with: nil)
    }

    /// The loop went on to another item, or gave one up. On the control lane.
    func follow(_ notice: PlaybackNotice) {
        switch notice {
        case .itemChanged(let old, let new):
            let left = state.withLock { state -> PlayerItem? in
                // Otherwise somebody has asked for another item since, and that is on its way.
                guard state.itemID == old, new != old else {
                    state.queue.removeAll { $0.id == new }
                    return nil
                }
                let item = state.item
                if let index = state.queue.firstIndex(where: { $0.id == new }) {
                    state.queue.removeSubrange(..<index)
                }
                state.takeNext()
                return item
            }
            if let left, let old { left.detach(from: old) }
            clearVideoOutput()
            // It has begun there, unless it has been taken off since.
            if let new {
                watchers.item(new)?.state.withLock { if $0.attachment?.id == new { $0.keepPosition(nil) } }
            }
        case .itemFailed(let id, _):
            // The current one goes when the next one takes its place.
            let left = state.withLock { state -> PlayerItem? in
                guard let index = state.queue.firstIndex(where: { $0.id == id }) else { return nil }
                return state.queue.remove(at: index).item
            }
            left?.detach(from: id)
        case .passEnded(let id, .failed):
            // What an earlier item has shown would stay for good.
            guard let failed = state.withLock({ $0.itemID == id ? $0.item : nil }) else { break }
            setting(\.videoOutput)?.keep { $0 === failed }
        default: break
        }
    }
}

extension PlayerCore.State {
    /// Puts an item behind another one (nil: behind all) and says behind which; nil: the player is gone.
    mutating func enqueue(_ item: PlayerItem, after other: PlayerItem?) -> (id: ItemID, after: ItemID?)? {
        guard !isReleased else { return nil }
        ids += 1
        let queued = PlayerCore.QueuedItem(item: item, id: ItemID(ids))
        var otherID: ItemID?
        if let other {
            let index = queue.firstIndex { $0.item === other }
            otherID = index.map { queue[$0].id } ?? itemID
            queue.insert(queued, at: index.map { $0 + 1 } ?? 0)
        } else {
            queue.append(queued)
        }
        if self.item == nil { takeNext() }
        return (queued.id, otherID)
    }

    /// The next item of the queue becomes the current one; none is left: none.
    mutating func takeNext() {
        let next = queue.isEmpty ? nil : queue.removeFirst()
        item = next?.item
        itemID = next?.id
        seekTarget = nil
    }
}

extension PlayerItem {
    /// Another playing begins, with an end of its own.
    func attach(_ attachment: Attachment) {
        state.withLock {
            $0.attachment = attachment
            $0.log.hasFailed = false
        }
        // What it handed out before is not due in this playing.
        clearVideoOutputs()
    }

    /// Unless it has been attached anew since. Played to its end it begins at its start another time.
    func detach(from id: ItemID) {
        state.withLock { if $0.attachment?.id == id { $0.attachment = nil } }
    }

    /// In the middle, at `place` (nil: its start): it goes on from there another time.
    func detach(from id: ItemID, at place: MediaTime?) {
        state.withLock { state in
            guard state.attachment?.id == id else { return }
            state.attachment = nil
            state.keepPosition(place)
        }
    }
}

extension PlayerItem.State {
    mutating func keepPosition(_ place: MediaTime?) {
        startPosition = place.map { ($0, .zero) }
        isPositionKept = place != nil
    }
}
