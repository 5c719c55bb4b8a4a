import Logging
import MediaCore
import PlaybackEngine
import PlayheadBackend
import Synchronization

/// Taking items on and letting go of them.
extension PlayerCore {
    func replaceItem(with item: PlayerItem?) {
        let (old, oldID) = state.withLock { ($0.item, $0.itemID) }
        guard item !== old else { return }
        let place = old.flatMap { self.place(of: $0) }
        // An item belongs to one player: taking it takes it from the other.
        if let item, let other = item.core, other !== self { other.close(of: item) }
        let id = changing {
            state.withLock { state -> ItemID? in
                state.item = item
                state.seekTarget = nil
                guard let item else {
                    state.itemID = nil
                    return nil
                }
                // One that waits in the queue leaves its place there.
                if let index = state.queue.firstIndex(where: { $0.item === item }) {
                    state.itemID = state.queue.remove(at: index).id
                } else {
                    state.ids += 1
                    state.itemID = ItemID(state.ids)
                }
                return state.itemID
            }
        }
        if let old, let oldID { old.detach(from: oldID, at: place) }
        clearVideoOutput()
        guard let item, let id else {
            loop.setItem(nil, nil)
            keep(old)
            return
        }
        item.attach(PlayerItem.Attachment(id: id, core: self))
        let start = item.state.withLock { state -> (time: MediaTime, toleranceBefore: MediaTime)? in
            guard !state.isPositionKept else { return nil }
            defer { state.startPosition = nil }
            return state.startPosition
        }
        watchers.remember(item, id)
        let seek = start.flatMap { makeSeek(item, $0.time, $0.toleranceBefore, nil) }
        loop.setItem(id, source(of: item), seek: seek?.request)
        keep(old)
        if let seek { acknowledge(seek.command) }
    }

    /// Where there is no item any more, nothing is shown. One that came meanwhile keeps what it has handed out.
    func clearVideoOutput() {
        setting(\.videoOutput)?.keep { _ in self.item != nil }
    }

    /// Where the current item is, for the time when it comes back; nil: at its start, or another one is current. Not as
    /// an observer sees it.
    func place(of item: PlayerItem) -> MediaTime? {
        let (target, id) = state.withLock { ($0.seekTarget?.value, $0.item === item ? $0.itemID : nil) }
        guard let id else { return nil }
        let (duration, start) = item.state.withLock { ($0.facts.duration, $0.startPosition?.time) }
        let snapshot = loop.snapshot
        let time =
            target ?? (snapshot.itemID == id ? snapshot.itemTime(at: driver.clock.now) : start ?? .zero)
        let place = duration.isNumeric ? min(time, duration) : time
        return place.isNumeric && place > .zero ? place : nil
    }

    /// Until the loop has told what became of it, should nobody else hold it.
    func keep(_ item: PlayerItem?) {
        loop.perform { _ in withExtendedLifetime(item) {} }
    }

    func close(of item: PlayerItem) {
        let mustReplace = state.withLock { $0.item === item && !$0.hasQueue }
        if mustReplace { replaceItem(with: nil) } else { remove(item) }
    }

    /// Described when it is opened, so that what is set on it until then counts.
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
        // On the machine's clock frames are decoded long before they are changed.
        options.sharesCoresWithConversion = !isRealTime && watchers.changesFrames
        options.maximumThreadCount = setting(\.membership)?.threadsOfOne
        let logger = configuration.logger
        asset.options.network.cache?.setDefaultWarningHandler { logger.warning("\($0)") }
        var media = MediaItem(
            makeDemuxer: { asset.takeDemuxer(backend, decoding: decoding) },
            loadingRole: asset.loadingRole,
            video: choice(settings.video, .visual),
            audio: hasAudio ? choice(settings.audio, .audible) : .none,
            choice: settings.switches.choice,
            variants: { [weak self, weak item] in item?.variantPreference(in: self) ?? VariantPreference() },
            texts: item.textSources,
            decoding: options,
            localRules: buffering.rules(buffering.local, isRealTime: isRealTime),
            networkRules: buffering.rules(buffering.network, isRealTime: isRealTime),
            forward: forward > 0 ? BufferingPolicy.forward(forward) : nil,
            forwardEnd: end.isNumeric ? end : nil,
            reverseEnd: reverseEnd.isNumeric ? max(.zero, reverseEnd) : .zero,
            learntDuration: settings.facts.learntDuration(of: asset),
            start: settings.startPosition?.time,
            sound: AudioSettingsSource { [weak item] in item?.audioSettings ?? AudioSettings() },
            didOpen: { asset.opened($0) }
        )
        let share = setting(\.bufferShare)
        asset.limitReadAhead(to: share?.source)
        media.packetShare = share?.packets
        if let failure = settings.facts.failure {
            media.makeDemuxer = { FailedDemuxer(failure) }
            media.texts = [:]
            media.didOpen = { _ in }
        }
        return media
    }
}
