import MediaCore
import PlayheadBackend

/// Opening items, and going from one to the next.
extension PlaybackLoop {
    func open(_ id: ItemID) {
        guard let item = sources[id]?.make() else { return }
        let epoch = ItemEpoch(of: item, epoch: state.epoch)
        cancelReload()
        closeCurrent()
        current = startOpening(id, item, at: epoch)
        publisher.counters.startupTime = nil
        presentation.begin(epoch.start.epoch, at: now, itemTime: epoch.start.firstWanted)
        setScheduledEnds(isReverse: false)
        openTexts(id, item.texts)
    }

    func close(_ id: ItemID) {
        sources[id] = nil
        closeCurrent()
        closeTexts()
        stopShowing(id)
    }

    private func closeCurrent() {
        guard let old = current else { return }
        publisher.countBytes(of: old)
        discard(old)
        current = nil
    }

    /// Every way out of an item: what was begun for it is cancelled, whatever stage it is in.
    func discard(_ item: OpenItem) {
        item.close()
        shared.unregister(item.demuxer)
    }

    /// Frames and audio on their way to the outputs are not shown any more.
    private func stopShowing(_ id: ItemID) {
        audio.output?.flush()
        if layers.clear() { report(.readyForDisplayChanged(id, false)) }
    }

    /// The renderer ends a pass where the current item's settings say.
    private func setScheduledEnds(isReverse: Bool) {
        guard let ends = current?.ends else { return }
        presentation.ends = ends
        presentation.isReverse = isReverse
    }

    // MARK: Opening

    /// Opens on lanes of the item's own; `opened` gets what came of it.
    func startOpening(_ id: ItemID, _ described: MediaItem, at epoch: ItemEpoch) -> OpenItem {
        let demuxer = described.makeDemuxer()
        let adaptation = adaptation(of: id, demuxer)
        let item = described.limited(by: adaptation?.limit)
        var open = OpenItem(id: id, item: item, demuxer: demuxer, epoch: epoch, at: now)
        demuxer.setWaitsInCalls(waitsInCalls)
        open.adaptation = adaptation
        shared.register(demuxer)
        let loading = driver.makeLane(item.loadingRole, label: "\(id).load")
        let start = epoch.start
        let opening = Opening(
            id: id,
            item: item,
            demuxer: demuxer,
            start: start,
            isRealTime: driver.isRealTime,
            demand: layers.demand,
            loading: loading,
            decoding: driver.makeLane(.decoding, label: "\(id).decode"),
            faulted: { [weak self] error in self?.perform { $0.fault(error, of: id) } },
            report: { [weak self, newest = open.newestFault] report in
                self?.take(report, of: id, newestFault: newest)
            }
        )
        let call = ResumableCall(of: demuxer, on: loading, of: driver) { [weak self] in
            guard let result = opening.run() else { return true }
            // Nobody waits for it any more: its stages must still let go of each other.
            let giveUp: @Sendable () -> Void = {
                demuxer.cancel()
                if case .success(let late) = result { late.cancel() }
            }
            guard let self else {
                giveUp()
                return false
            }
            control.enqueue { [weak self] in
                guard let self, phase != .isDown, isAwaited(start.epoch) else { return giveUp() }
                opened(start.epoch, result, item)
            }
            return false
        }
        open.opening = call
        call.begin()
        return open
    }

    /// Whether an item whose opening began with `epoch` is still wanted.
    func isAwaited(_ epoch: Epoch) -> Bool {
        [current, next, reopening.item].contains { $0?.start.epoch == epoch } && state.item != nil
    }

    private func opened(_ epoch: Epoch, _ result: Result<ItemPipeline, MediaError>, _ item: MediaItem) {
        if next?.start.epoch == epoch { return nextOpened(result, item) }
        if reopening.item?.start.epoch == epoch { return reopened(result, item) }
        guard let id = current?.id else { return }
        switch result {
        case .failure(let error): handle(.failed(id, error))
        case .success(let pipeline):
            // Where it ends may have been changed since opening began.
            current?.didOpen(pipeline, sources[id]?.make() ?? item, forward: forward(of: id, item))
            setScheduledEnds(isReverse: presentation.isReverse)
            if reopening.isWanted, current?.mustReopen != true { reopening = .none }
            pipeline.setLooping(state.repeatSetting == .loop)
            if pipeline.audio != nil { audio.output?.prepare() }
            if pipeline.canPlayReverse { carryOut(state.handle(.reversible(id))) }
            handle(.opened(id, duration: item.learntDuration ?? pipeline.description.duration))
            pipeline.wake()
            chooseVariants()
        }
    }

    /// How far to read ahead may have been changed since opening began.
    func forward(of id: ItemID, _ item: MediaItem) -> Int64? { (sources[id]?.make() ?? item).forward }

    // MARK: The next item

    func prepare(_ id: ItemID, _ epoch: Epoch) {
        guard let item = sources[id]?.make() else { return }
        // Set before anything is reported of the item: reports arrive on this lane and look it up here.
        next = startOpening(id, item, at: ItemEpoch(of: item, epoch: epoch))
    }

    private func nextOpened(_ result: Result<ItemPipeline, MediaError>, _ item: MediaItem) {
        guard let id = next?.id else { return }
        switch result {
        case .failure(let error): handle(.preparedFailed(id, error))
        case .success(let pipeline):
            next?.didOpen(pipeline, item, forward: forward(of: id, item))
            if pipeline.canPlayReverse { carryOut(state.handle(.reversible(id))) }
            handle(.preparedOpened(id, duration: item.learntDuration ?? pipeline.description.duration))
            pipeline.wake()
            chooseVariants()
        }
    }

    func dropNext() {
        guard let old = next else { return }
        if presentation.ahead?.epoch == old.start.epoch {
            takeBackAudioBeyondSeam()
            presentation.ahead = nil
        }
        publisher.counters.faults += old.faultsBeforeVisible
        discard(old)
        next = nil
    }

    /// The next item's first frames lie behind the wanted ones. False: there is nowhere else to look, or no time.
    func retryNext() -> Bool {
        guard let old = next, !old.isReady, let pipeline = old.pipeline,
            let earlier = old.epoch.earlier({ state.replacePreparedEpoch() })
        else { return false }
        next?.epoch = earlier
        pipeline.begin(earlier.start)
        return true
    }

    /// The next item becomes the current one. Seamless: its frames go on where the old one's ended.
    func takeOver(_ id: ItemID, from old: ItemID, isSeamless: Bool) {
        guard var new = next, new.id == id else { return }
        next = nil
        cancelReload()
        let end = current?.pipeline.flatMap { presentation.passEnd($0)?.itemTime } ?? .zero
        sources[old] = nil
        closeCurrent()
        // Behind a seam its frames have been found already.
        if isSeamless { new.epoch.retry = SeekRetry() }
        new.buffer = BufferMonitor(
            level: isSeamless ? .afterSeam : .empty,
            rules: new.pipeline?.rules ?? .local
        )
        new.openedAt = now
        new.hasFrames = isSeamless
        new.epoch.hasPresented = isSeamless
        current = new
        setScheduledEnds(isReverse: false)
        if isSeamless, let pipeline = new.pipeline {
            presentation.follow(pipeline, start: new.start, endOfLast: end)
        } else {
            presentation.begin(new.start.epoch, at: now, itemTime: new.start.firstWanted)
            stopShowing(old)
        }
        observers.jumped(itemTime: ItemTime(new.start.firstWanted) ?? .zero)
        openTexts(id, sources[id]?.make()?.texts ?? [:])
    }

    // MARK: Faults

    func fault(_ error: MediaError, of id: ItemID) {
        // Nothing was lost where the processor decodes instead of a device.
        let count = error.code == .hardwareUnavailable ? 0 : 1
        if next?.id == id {
            next?.faultsBeforeVisible += count
        } else if state.item?.id == id {
            publisher.counters.faults += count
        } else {
            return
        }
        report(.fault(id, error))
    }

    // MARK: Reading ahead

    /// From any thread: nanoseconds to read ahead in an item from now on; nil: as its rules have it.
    package func setForward(_ id: ItemID, _ duration: Int64?) {
        perform { loop in
            for item in [loop.current, loop.next, loop.reopening.item] where item?.id == id {
                item?.pipeline?.setForward(duration)
            }
        }
    }

    /// From any thread: memory for packets of each item that is open or comes; nil: as their rules have it.
    package func setPacketShare(_ share: PacketShare?) {
        perform { loop in
            for item in [loop.current, loop.next, loop.reopening.item] {
                item?.pipeline?.setPacketShare(share)
            }
        }
    }
}
