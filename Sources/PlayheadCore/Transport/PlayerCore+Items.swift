import Logging
import MediaCore
import PlaybackEngine
import PlayheadBackend
import Synchronization

/// Assigning and releasing items.
extension PlayerCore {
    /// The rest of an assignment of an item, which is done without a lock.
    struct Assignment {
        /// The command number of a seek to the start position of the item, or nil.
        var seek: UInt64?
        /// Another player that got the item after its former player had released it, or nil.
        var former: PlayerCore?
    }

    func complete(_ assignment: Assignment?, of item: PlayerItem?) {
        if let seek = assignment?.seek { acknowledge(seek) }
        if let item, let former = assignment?.former { former.releaseItem(item) }
    }

    /// Replaces the current item, and the item that the budget has suspended, which does not return any more.
    func replaceItem(with item: PlayerItem?) {
        let membership = setting(\.membership)
        let isChange = itemChanges.withLock { _ in
            item !== self.item || membership?.isSuspended == true
        }
        guard isChange else { return }
        // An item belongs to one player, so the other player releases it.
        if let item, let other = item.core, other !== self { other.releaseItem(item) }
        // The loop may be beginning it as an interstitial, so it is opened again under another identifier.
        if let item, setting(\.pendingInterstitial)?.item === item { remove(item) }
        var suspended: PlayerItem?
        let assignment = changing {
            itemChanges.withLock { _ -> Assignment? in
                suspended = membership?.removeSuspendedItem()
                return setItem(item)
            }
        }
        complete(assignment, of: item)
        // Both are released outside the lock.
        withExtendedLifetime((membership, suspended)) {}
    }

    /// Removes the current item, if there is one.
    ///
    /// - Parameter body: Called with the item before it is removed. No other item can be set meanwhile.
    func removeCurrentItem(_ body: (PlayerItem) -> Void) {
        changing {
            itemChanges.withLock { _ in
                guard let item = self.item else { return }
                body(item)
                _ = setItem(nil)
            }
        }
    }

    /// Makes an item the current one, if there is none.
    ///
    /// - Parameter body: Returns the item, or nil. No other item can be set meanwhile.
    func restoreItem(_ body: () -> PlayerItem?) {
        var restored: PlayerItem?
        let assignment = changing {
            itemChanges.withLock { _ -> Assignment? in
                guard self.item == nil, let item = body() else { return nil }
                restored = item
                return setItem(item)
            }
        }
        complete(assignment, of: restored)
    }

    /// Makes an item the current one, or none. Called within `itemChanges`.
    ///
    /// - Returns: What is to be done afterwards, or nil.
    func setItem(_ item: PlayerItem?) -> Assignment? {
        let current = self.item
        let position = current.flatMap { self.resumePosition(of: $0) }
        let change = state.withLock { state -> (id: ItemID?, old: QueuedItem?, primary: QueuedItem?)? in
            // Otherwise another thread has set it meanwhile, or the loop has advanced to it.
            guard state.item !== item else { return nil }
            let (old, primary) = (state.current, state.primary)
            state.item = item
            state.itemID = nil
            state.seekTarget = nil
            state.primary = nil
            state.isInterstitial = false
            guard let item else { return (nil, old, primary) }
            if let primary, primary.item === item {
                // The interrupted item continues.
                state.itemID = primary.id
            } else if let index = state.queue.firstIndex(where: { $0.item === item }) {
                // An item that waits in the queue leaves the queue.
                state.itemID = state.queue.remove(at: index).id
            } else {
                state.ids += 1
                state.itemID = ItemID(state.ids)
            }
            if let id = state.itemID { state.assigned.insert(id) }
            return (state.itemID, old, primary)
        }
        guard let change else { return nil }
        let old = change.old?.item
        if let old, let id = change.old?.id {
            old.detach(from: id, of: self, at: old === current ? position : nil)
        }
        if let primary = change.primary, primary.item !== item {
            primary.item.detach(from: primary.id, of: self)
        }
        clearVideoOutput()
        guard let item, let id = change.id else {
            addCommand { loop in
                loop.setItem(nil, nil)
                withExtendedLifetime(old) {}
            }
            return nil
        }
        let former = item.attach(PlayerItem.Attachment(id: id, core: self))
        let start = item.removeStartPosition()
        dispatcher.register(item, id)
        let seek = start.flatMap { makeSeek(item, $0.time, $0.toleranceBefore, nil) }
        let source = source(of: item)
        addCommand { loop in
            loop.setItem(id, source, seek: seek?.request)
            withExtendedLifetime(old) {}
        }
        return Assignment(seek: seek?.command, former: former)
    }

    /// Clears the video output if there is no item. An item that was set meanwhile keeps its frames.
    func clearVideoOutput() {
        setting(\.videoOutput)?.keep { _ in self.item != nil }
    }

    /// Returns the present position of the current item, for the time when the item is set again. Nil means the
    /// start, and for an item that is not current or cannot be sought. The position is not that of the event that is
    /// being delivered.
    func resumePosition(of item: PlayerItem) -> MediaTime? {
        if item.isUnseekable { return nil }
        let (target, id) = state.withLock { ($0.seekTarget?.value, $0.item === item ? $0.itemID : nil) }
        guard let id else { return nil }
        let (duration, start) = item.state.withLock { ($0.facts.duration, $0.startPosition?.time) }
        let snapshot = loop.snapshot
        let time =
            target ?? (snapshot.itemID == id ? snapshot.itemTime(at: driver.clock.now) : start ?? .zero)
        let position = duration.isNumeric ? min(time, duration) : time
        return position.isNumeric && position > .zero ? position : nil
    }

    /// Retains an item until the loop has reported what became of it.
    func retainUntilProcessed(_ item: PlayerItem?) {
        loop.perform { _ in withExtendedLifetime(item) {} }
    }

    func releaseItem(_ item: PlayerItem) {
        guard !setting(\.hasQueue) else { return remove(item) }
        changing {
            // Another thread may have set another item meanwhile.
            itemChanges.withLock { _ in if self.item === item { _ = setItem(nil) } }
        }
    }

    /// Returns a source that describes the item when it is opened, so that later settings are included.
    func source(of item: PlayerItem) -> MediaItemSource {
        MediaItemSource { [weak self] in
            self?.mediaItem(for: item)
        }
    }

    private func mediaItem(for item: PlayerItem) -> MediaItem {
        let asset = item.asset
        let settings = item.state.withLock { $0 }
        let end = settings.forwardEnd
        let reverseEnd = settings.reverseEnd
        let forward = settings.forwardBuffer
        let buffering = configuration.buffering
        let isRealTime = driver.isRealTime
        let decoding = configuration.decoding
        let backend = configuration.backend
        var options = DecoderOptions(decoding, sharing: PlayerRegistry.players)
        // In real time, decoding runs far ahead of conversions and does not compete with them.
        options.sharesCoresWithConversion = !isRealTime && dispatcher.changesFrames
        options.maximumThreadCount = setting(\.membership)?.threadsPerDecoder
        let logger = configuration.logger
        asset.network.cache?.setDefaultWarningHandler { logger.warning("\($0)") }
        var media = MediaItem(
            makeDemuxer: { asset.claimDemuxer(backend, decoding: decoding, $0) },
            loadingRole: asset.loadingRole,
            video: choice(settings.video, .visual),
            audio: hasAudio ? choice(settings.audio, .audible) : .none,
            choice: settings.switches.choice,
            variants: { [weak self, weak item] in item?.variantPreference(in: self) ?? VariantPreference() },
            cueSources: item.cueSources,
            decoding: options,
            localRules: buffering.rules(buffering.local, isRealTime: isRealTime),
            networkRules: buffering.rules(buffering.network, isRealTime: isRealTime),
            forwardBufferDuration: forward > 0 ? BufferingPolicy.forward(seconds: forward) : nil,
            forwardEnd: end.isNumeric ? end : nil,
            reverseEnd: reverseEnd.isNumeric ? max(.zero, reverseEnd) : .zero,
            measuredDuration: settings.facts.measuredDuration(of: asset),
            start: settings.startPosition?.time,
            audioSettings: AudioSettingsSource { [weak item] in item?.audioSettings ?? AudioSettings() },
            didOpen: { asset.opened($0) }
        )
        let liveOffset = settings.live.offset
        media.liveOffset = liveOffset.isNumeric ? max(.zero, liveOffset) : nil
        media.beginsAtPreferredStart = settings.beginsAtPreferredStart
        let share = setting(\.bufferShare)
        asset.limitReadAhead(to: share?.source)
        media.packetShare = share?.packets
        if let failure = settings.facts.failure {
            media.makeDemuxer = { _ in FailedDemuxer(failure) }
            media.cueSources = [:]
            media.didOpen = { _ in }
        }
        return media
    }
}
