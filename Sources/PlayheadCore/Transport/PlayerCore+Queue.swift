import MediaCore
import PlaybackEngine
import PlayheadBackend

/// The queue of items after the current one. The loop decides which item is current. Calls from here identify items and
/// not positions, so an item that has been played meanwhile is not mistaken for another one.
extension PlayerCore {
    struct QueuedItem {
        let item: PlayerItem
        let id: ItemID
    }

    func becomeQueue() {
        state.withLock { $0.hasQueue = true }
        setEndAction(.advance)
    }

    /// Makes the player advance at the end of items, for another looper.
    func beginLooping() {
        state.withLock { state in
            state.looping = ((state.looping?.count ?? 0) + 1, state.looping?.formerAction ?? state.endAction)
            state.setEndAction(.advance)
        }
        executeCommands()
    }

    /// Restores the action at the end of items after the last looper. A looper may end after its successor has begun.
    func endLooping() {
        state.withLock { state in
            guard let (count, formerAction) = state.looping else { return }
            state.looping = count > 1 ? (count - 1, formerAction) : nil
            if count == 1 { state.setEndAction(formerAction) }
        }
        executeCommands()
    }

    /// The current item and the queued ones, in order.
    var allItems: [PlayerItem] {
        state.withLock { [$0.item, $0.primary?.item].compactMap(\.self) + $0.queue.map(\.item) }
    }

    func canInsert(_ item: PlayerItem, after other: PlayerItem?) -> Bool {
        let items = allItems
        guard !items.contains(where: { $0 === item }), setting(\.pendingInterstitial)?.item !== item else {
            return false
        }
        return other.map { other in items.contains { $0 === other } } ?? true
    }

    func insert(_ item: PlayerItem, after other: PlayerItem?) {
        guard canInsert(item, after: other) else { return }
        if let old = item.core, old !== self { old.releaseItem(item) }
        let assignment = changing { itemChanges.withLock { _ in enqueue(item, after: other) } }
        complete(assignment, of: item)
    }

    /// Inserts an item if it can be inserted, and makes it the current one if it is the only one. Called within
    /// `itemChanges`.
    ///
    /// - Returns: What is to be done afterwards, or nil.
    private func enqueue(_ item: PlayerItem, after other: PlayerItem?) -> Assignment? {
        // Another thread may have changed the queue meanwhile.
        guard canInsert(item, after: other) else { return nil }
        guard !allItems.isEmpty else { return setItem(item) }
        guard let position = state.withLock({ $0.enqueue(item, after: other) }) else { return nil }
        let former = item.attach(PlayerItem.Attachment(id: position.id, core: self))
        dispatcher.register(item, position.id)
        let source = source(of: item)
        addCommand { $0.insert(position.id, source, after: position.after) }
        return Assignment(former: former)
    }

    func remove(_ item: PlayerItem) {
        let removed = changing { itemChanges.withLock { _ in dequeue(item) } }
        guard let removed else { return }
        forgetAbandoned(removed.id)
        if let continued = removed.continued { seekAfterInterstitial(continued) }
    }

    /// Removes an item. Called within `itemChanges`.
    ///
    /// - Returns: The identifier of the item, and the interrupted item that continues; or nil if the player does not
    ///   have the item.
    private func dequeue(_ item: PlayerItem) -> (id: ItemID, continued: QueuedItem?)? {
        let position = self.resumePosition(of: item)
        let removed = state.withLock { state -> (id: ItemID, isCurrent: Bool, continued: QueuedItem?)? in
            if state.item === item, let id = state.itemID {
                defer { state.advanceToNext() }
                return (id, true, state.primary)
            }
            if state.pendingInterstitial?.item === item {
                return state.abandonPendingInterstitial().map {
                    (id: $0.id, isCurrent: false, continued: nil)
                }
            }
            if let primary = state.primary, primary.item === item {
                state.primary = nil
                return (primary.id, false, nil)
            }
            guard let index = state.queue.firstIndex(where: { $0.item === item }) else { return nil }
            return (state.queue.remove(at: index).id, false, nil)
        }
        guard let removed else { return nil }
        if removed.isCurrent {
            item.detach(from: removed.id, of: self, at: position)
        } else {
            item.detach(from: removed.id, of: self)
        }
        clearVideoOutput()
        addCommand { loop in
            loop.handle(.remove(removed.id))
            withExtendedLifetime(item) {}
        }
        return (removed.id, removed.continued)
    }

    /// Advances to the next item, or to the first queued one if there is no current item.
    func advance() {
        if let item { return remove(item) }
        changing {
            state.withLock { state in
                // Another thread may have set an item meanwhile.
                guard state.item == nil else { return }
                state.advanceToNext()
                state.addCommand { $0.handle(.advance) }
            }
        }
    }

    func removeAllItems() {
        if let pending = setting(\.pendingInterstitial)?.item { remove(pending) }
        changing {
            itemChanges.withLock { _ in
                let queued = state.withLock { state in
                    defer { state.queue = [] }
                    return state.queue
                }
                for entry in queued { entry.item.detach(from: entry.id, of: self) }
                addCommand { $0.handle(.removeUpcoming) }
                _ = setItem(nil)
            }
        }
    }

    /// Follows the loop to another item, or after a failure of an item. On the control lane.
    func updateQueue(for change: PlaybackChange) {
        switch change {
        case .itemChanged(let reported, let new):
            let (old, isAssigned) = state.withLock { state in
                let isAssigned = new.flatMap { state.assigned.remove($0) } != nil
                return (state.itemLeft(for: new, reported: reported), isAssigned)
            }
            let change = updateInterstitial(from: old, to: new)
            if change.isHandled {
                if let item = change.leaving, let id = item.state.withLock({ $0.attachment?.id }) {
                    item.detach(from: id, of: self)
                    // The interstitial that begins would outlast the removal of the item that it interrupts.
                    if id == new { loop.send(.remove(id)) }
                    retainUntilProcessed(item)
                }
                break
            }
            let leaving = state.withLock { state -> QueuedItem? in
                // Otherwise another item, or none, was set meanwhile, and the loop has yet to follow. If it has begun an
                // item of the queue, that item leaves then.
                guard state.itemID == old, new != old, !isAssigned else {
                    let index = state.queue.firstIndex { $0.id == new }
                    return index.map { state.queue.remove(at: $0) }
                }
                let current = state.current
                if let index = state.queue.firstIndex(where: { $0.id == new }) {
                    // Items that were inserted before it meanwhile follow it, as in the loop.
                    state.queue.insert(state.queue.remove(at: index), at: 0)
                }
                state.advanceToNext()
                if state.item == nil, !state.endWaits.values.contains(where: { $0.item == old }) {
                    state.lastOfQueue = old
                }
                return current
            }
            if let leaving { leaving.item.detach(from: leaving.id, of: self) }
            clearVideoOutput()
            if let new { finishStart(of: new) }
        case .itemFailed(let id, _):
            // The current item leaves when the next one replaces it.
            let leaving = state.withLock { state -> PlayerItem? in
                if let pending = state.pendingInterstitial, pending.id == id {
                    state.pendingInterstitial = nil
                    return pending.item
                }
                guard let index = state.queue.firstIndex(where: { $0.id == id }) else { return nil }
                return state.queue.remove(at: index).item
            }
            leaving?.detach(from: id, of: self)
        case .passEnded(let id, .failed):
            // Otherwise a frame of an earlier item would remain available.
            guard let failed = state.withLock({ $0.itemID == id ? $0.item : nil }) else { break }
            setting(\.videoOutput)?.keep { $0 === failed }
        default: break
        }
    }

    /// Forgets the start position of an item that has become the current one, unless it has been removed since. If a seek
    /// came too late for the opening, the item has started elsewhere, and the seek is made now.
    ///
    /// - Parameters:
    ///   - id: The item.
    ///   - isContinued: Whether the item continues after an interstitial, at a position other than that of its opening.
    func finishStart(of id: ItemID, isContinued: Bool = false) {
        guard let item = dispatcher.item(id) else { return }
        let start = item.state.withLock { state -> (time: MediaTime, toleranceBefore: MediaTime)? in
            guard state.isAttached(to: self, id) else { return nil }
            defer { state.keepPosition(nil) }
            return state.isPositionKept ? nil : state.startPosition
        }
        guard let start, let opened = loop.openingPosition(of: id), isContinued || opened != start.time,
            let seek = makeSeek(item, start.time, start.toleranceBefore, nil)
        else { return }
        loop.send(.seek(seek.request))
        acknowledge(seek.command)
    }
}

extension PlayerCore.State {
    mutating func setEndAction(_ action: Player.ActionAtItemEnd) {
        endAction = action
        let applied = action == .advance && !hasQueue ? .pause : action
        addCommand { $0.handle(.setEndAction(applied)) }
    }

    /// The current item, or nil.
    var current: PlayerCore.QueuedItem? {
        guard let item, let itemID else { return nil }
        return PlayerCore.QueuedItem(item: item, id: itemID)
    }

    /// Inserts an item after another one, or at the end.
    ///
    /// - Parameters:
    ///   - item: The item to insert.
    ///   - other: The item to insert it after, or nil for the end.
    /// - Returns: The identifiers of the item and of its predecessor, or nil if the player has been released.
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
        if self.item == nil { advanceToNext() }
        return (queued.id, otherID)
    }

    /// Makes the next item of the queue the current one; without one there is no current item.
    mutating func advanceToNext() {
        let next = primary ?? (queue.isEmpty ? nil : queue.removeFirst())
        primary = nil
        isInterstitial = false
        item = next?.item
        itemID = next?.id
        seekTarget = nil
    }
}

extension PlayerItem {
    /// Attaches the item to a player for another playback with an end of its own.
    ///
    /// - Returns: The other player that had the item, or nil.
    func attach(_ attachment: Attachment) -> PlayerCore? {
        let former = state.withLock { state in
            defer { state.attachment = attachment }
            state.log.hasFailed = false
            return state.attachment?.core
        }
        if let core = attachment.core { asset.setDefaultNetworkOptions(core.configuration.network) }
        // Frames of an earlier playback are not due in this one.
        clearVideoOutputs()
        return former === attachment.core ? nil : former
    }

    /// Detaches the item, unless it has been attached again since. An item that was played to its end restarts at zero.
    func detach(from id: ItemID, of core: PlayerCore) {
        let reading = (host: core.driver.clock.now, counters: core.loop.snapshot.counters)
        state.withLock { state in
            guard state.isAttached(to: core, id) else { return }
            state.detach(reading, in: core)
        }
    }

    /// Detaches the item at a position, from which it continues later. Nil means the start.
    func detach(from id: ItemID, of core: PlayerCore, at position: MediaTime?) {
        let reading = (host: core.driver.clock.now, counters: core.loop.snapshot.counters)
        state.withLock { state in
            guard state.isAttached(to: core, id) else { return }
            state.detach(reading, in: core)
            state.keepPosition(position)
        }
    }
}

extension PlayerItem.State {
    /// Returns whether the player has the item under this identifier. Other players use the same identifiers.
    func isAttached(to core: PlayerCore, _ id: ItemID) -> Bool {
        attachment?.isSame(as: PlayerItem.Attachment(id: id, core: core)) == true
    }

    /// Detaches the item, and completes its log if an interstitial has interrupted it. The log of any other item is
    /// completed when the loop reports that it leaves the item, or when another player gets the item before that.
    fileprivate mutating func detach(
        _ reading: (host: HostTime, counters: PlaybackCounters),
        in core: PlayerCore
    ) {
        attachment = nil
        if log.isSuspended { return log.end(at: reading.host) }
        // A player that has not played the item has no counts of it.
        if log.player == ObjectIdentifier(core) { log.count(reading.counters) }
    }

    mutating func keepPosition(_ position: MediaTime?) {
        startPosition = position.map { ($0, .zero) }
        isPositionKept = position != nil
    }
}
