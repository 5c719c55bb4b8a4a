package import MediaCore
import PlayheadBackend

/// Opening items, and transitions between them.
extension PlaybackLoop {
    /// Returns the position at which an item was opened, or nil if it is not the current one. The position is indefinite
    /// before the item is open if its presentation may prefer a start. Called on the control lane.
    package func openingPosition(of id: ItemID) -> MediaTime? {
        guard let current, current.id == id else { return nil }
        if let position = current.start.firstWanted ?? current.start.demuxTarget { return position }
        guard let pipeline = current.pipeline else { return .indefinite }
        return pipeline.description.joinTime ?? .zero
    }

    func open(_ id: ItemID) {
        guard let item = sources[id]?.make() else { return }
        let epoch = ItemEpoch(of: item, epoch: state.epoch)
        closeCurrent()
        returnPrefetchedAudio()
        let opening = startOpening(id, item, at: epoch)
        current = opening
        observers.moved(itemTime: opening.expectedStart)
        publisher.counters.startupTime = nil
        presentation.begin(epoch.start.epoch, at: now, itemTime: epoch.start.firstWanted)
        setScheduledEnds(isReverse: false)
        openCues(id, item.cueSources)
    }

    func close(_ id: ItemID) {
        sources[id] = nil
        closeCurrent()
        closeCues()
        clearOutputs(id)
    }

    func closeCurrent() {
        guard let old = current else { return }
        publisher.countBytes(of: old)
        discard(old)
        current = nil
    }

    /// Closes an item and cancels everything that was started for it, whatever its state.
    func discard(_ item: OpenItem) {
        item.close()
        shared.unregister(item.demuxer)
    }

    /// Discards the frames and the audio that are on their way to the outputs.
    private func clearOutputs(_ id: ItemID) {
        audio.output?.flush()
        if layers.clear() { report(.readyForDisplayChanged(id, false)) }
    }

    /// Sets the times at which the current item's settings end a pass.
    func setScheduledEnds(isReverse: Bool) {
        guard let ends = current?.ends else { return }
        presentation.ends = ends
        presentation.isReverse = isReverse
    }

    // MARK: Opening

    /// Starts to open an item on lanes of its own. `opened` receives the result.
    func startOpening(_ id: ItemID, _ described: MediaItem, at epoch: ItemEpoch) -> OpenItem {
        var adaptation = adaptation(of: id)
        let failures = failures(of: id)
        let item = described.adapted(to: adaptation?.limit, avoiding: failures)
        var options = DemuxerOptions(
            startTime: epoch.start.demuxTarget,
            usesBlockingReads: waitsInCalls,
            chooseVariant: { item.variant(of: $0) }
        )
        options.liveOffset = item.liveOffset
        options.beginsAtPreferredStart = true
        let demuxer = item.makeDemuxer(options)
        adaptation?.begin(demuxer.receivedBytes ?? 0)
        var open = OpenItem(id: id, item: item, demuxer: demuxer, epoch: epoch, at: now)
        open.adaptation = adaptation
        open.failures = failures
        shared.register(demuxer)
        let loading = driver.makeLane(item.loadingRole, label: "\(id).load")
        let start = epoch.start
        let opener = ItemOpener(
            id: id,
            item: item,
            demuxer: demuxer,
            start: start,
            isRealTime: driver.isRealTime,
            demand: layers.deinterlacingDemand,
            loading: loading,
            decoding: driver.makeLane(.decoding, label: "\(id).decode"),
            ahead: DecodeAhead(driver: driver, label: "\(id).ahead"),
            reportFault: { [weak self] error in self?.perform { $0.fault(error, of: id) } },
            report: { [weak self, newest = open.newestFault] report in
                self?.receive(report, of: id, newestFault: newest)
            }
        )
        let call = ResumableCall(of: demuxer, on: loading) { [weak self] in
            guard case .ready(let result) = opener.open() else { return .pending }
            // The item is no longer needed, but its stages refer to each other and must be released.
            let discardResult: @Sendable () -> Void = {
                demuxer.cancel()
                if case .success(let late) = result { late.cancel() }
            }
            guard let self else {
                discardResult()
                return .ready(())
            }
            control.enqueue { [weak self] in
                guard let self, phase != .tornDown, isStillNeeded(start.epoch) else { return discardResult() }
                opened(start.epoch, result, item)
            }
            return .ready(())
        }
        open.opening = call
        call.begin()
        return open
    }

    /// Returns whether an item whose opening began with `epoch` is still needed.
    func isStillNeeded(_ epoch: Epoch) -> Bool {
        if pendingInterstitial?.start.epoch == epoch || suspended?.item.start.epoch == epoch { return true }
        return [current, next, replacement].contains { $0?.start.epoch == epoch } && state.item != nil
    }

    func opened(_ epoch: Epoch, _ result: Result<ItemPipeline, MediaError>, _ item: MediaItem) {
        if next?.start.epoch == epoch { return nextOpened(result, item) }
        if pendingInterstitial?.start.epoch == epoch { return interstitialOpened(result, item) }
        if suspended?.item.start.epoch == epoch {
            suspended?.opened = (result, item)
            return
        }
        if replacement?.start.epoch == epoch { return replacementOpened(result, item) }
        guard let id = current?.id else { return }
        switch result {
        case .failure(let error): handle(.failed(id, error))
        case .success(let pipeline):
            // The item's end may have been changed since opening began.
            current?.didOpen(
                pipeline,
                sources[id]?.make() ?? item,
                forwardBufferDuration: forwardBufferDuration(of: id, item)
            )
            setScheduledEnds(isReverse: presentation.isReverse)
            pipeline.setLooping(state.loopsItem)
            prepareAudioDevice(for: pipeline)
            if pipeline.canPlayReverse { execute(state.handle(.reversible(id))) }
            handle(.opened(id, duration: item.measuredDuration ?? pipeline.description.duration))
            pipeline.wake()
            chooseVariants()
        }
    }

    /// Lets the audio device connect before an item that is open, current or not, delivers audio to it.
    func prepareAudioDevice(for pipeline: ItemPipeline) {
        if pipeline.audio != nil { audio.output?.prepare() }
    }

    /// Returns how far to read ahead in the item, in nanoseconds. The value may have been changed since opening
    /// began.
    func forwardBufferDuration(of id: ItemID, _ item: MediaItem) -> Int64? {
        (sources[id]?.make() ?? item).forwardBufferDuration
    }

    // MARK: The next item

    func prepare(_ id: ItemID, _ epoch: Epoch) {
        guard let item = sources[id]?.make() else { return }
        // Reports arrive on this lane and look the item up here, so it is set before the first one.
        next = startOpening(id, item, at: ItemEpoch(of: item, epoch: epoch))
    }

    private func nextOpened(_ result: Result<ItemPipeline, MediaError>, _ item: MediaItem) {
        guard let id = next?.id else { return }
        switch result {
        case .failure(let error): handle(.preparedFailed(id, error))
        case .success(let pipeline):
            next?.didOpen(pipeline, item, forwardBufferDuration: forwardBufferDuration(of: id, item))
            prepareAudioDevice(for: pipeline)
            if pipeline.canPlayReverse { execute(state.handle(.reversible(id))) }
            handle(.preparedOpened(id, duration: item.measuredDuration ?? pipeline.description.duration))
            pipeline.wake()
            chooseVariants()
        }
    }

    func discardNext() {
        guard let old = next else { return }
        if let prefetch = presentation.audioPrefetch, prefetch.epoch == old.start.epoch {
            withdrawAudioOfNext(prefetch)
        } else if presentation.current.pass.audioEndWasReported {
            // Processing would hold the end of this pass until other audio follows.
            audio.output?.endAudio()
        }
        if suspended?.presentation.pass.audioPrefetch?.epoch == old.start.epoch {
            suspended?.presentation.pass.audioPrefetch = nil
        }
        publisher.counters.faults += old.faultsBeforeVisible
        discard(old)
        next = nil
    }

    /// Makes the next item the current one. In a seamless transition its frames continue where those of the old item
    /// ended.
    func takeOver(_ id: ItemID, from old: ItemID, isSeamless: Bool) {
        guard let new = next, new.id == id else { return }
        if !isSeamless { returnPrefetchedAudio() }
        next = nil
        let end = current?.pipeline.flatMap { presentation.passEnd($0)?.itemTime } ?? .zero
        sources[old] = nil
        closeCurrent()
        makeCurrent(new, isSeamless: isSeamless) { pipeline in
            presentation.follow(pipeline, start: new.start, endOfLast: end)
        } clear: {
            clearOutputs(old)
        }
    }

    /// Makes an opened item the current one, and begins to present it.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - isSeamless: Whether its frames continue where those of the old item ended. Its first frames have been found
    ///     already then.
    ///   - follow: Continues the presentation with the item's pipeline in a seamless transition.
    ///   - clear: Discards what the outputs received from the old item in any other transition.
    func makeCurrent(
        _ item: OpenItem,
        isSeamless: Bool,
        follow: (ItemPipeline) -> Void,
        clear: () -> Void
    ) {
        var new = item
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
            follow(pipeline)
        } else {
            presentation.begin(new.start.epoch, at: now, itemTime: new.start.firstWanted)
            clear()
        }
        observers.jumped(itemTime: new.expectedStart)
        openCues(new.id, sources[new.id]?.make()?.cueSources ?? [:])
    }

    // MARK: Faults

    func fault(_ error: MediaError, of id: ItemID) {
        // Nothing is lost if the CPU decodes instead of a hardware device.
        let count = error.code == .hardwareUnavailable ? 0 : 1
        if next?.id == id {
            next?.faultsBeforeVisible += count
        } else if pendingInterstitial?.id == id {
            pendingInterstitial?.faultsBeforeVisible += count
        } else if suspended?.item.id == id {
            publisher.counters.faults += count
        } else if state.item?.id == id {
            publisher.counters.faults += count
        } else {
            return
        }
        report(.fault(id, error))
    }

    // MARK: Reading ahead

    private var openItems: [OpenItem?] {
        [current, next, replacement, pendingInterstitial, suspended?.item]
    }

    /// Applies a changed setting of how far to read ahead in an item. May be called from any thread.
    package func updateForwardBufferDuration(_ id: ItemID) {
        perform { loop in
            // Calls of several threads may arrive in another order than their changes, so the newest value applies.
            guard let source = loop.sources[id]?.make() else { return }
            for item in loop.openItems where item?.id == id {
                item?.pipeline?.setForwardBufferDuration(source.forwardBufferDuration)
            }
        }
    }

    /// Sets the memory for packets of each item, open now or later. If `share` is nil, the buffer rules apply. May be
    /// called from any thread.
    package func setPacketShare(_ share: PacketShare?) {
        perform { loop in
            for item in loop.openItems {
                item?.pipeline?.setPacketShare(share)
            }
        }
    }
}
