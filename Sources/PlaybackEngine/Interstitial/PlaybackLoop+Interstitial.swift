package import MediaCore
import PlayheadBackend

/// Interstitials: opening the item that interrupts, suspending the interrupted one, and continuing it.
extension PlaybackLoop {
    /// The item that an interstitial has interrupted, or nil. Called on the control lane.
    package var suspendedItem: ItemID? { suspended?.item.id }

    /// The position of the item that an interstitial has interrupted, or nil. Called on the control lane.
    package var suspendedPosition: MediaTime? { suspended?.position.mediaTime }

    func prepareInterstitial(_ id: ItemID, _ epoch: Epoch) {
        guard let item = sources[id]?.make() else { return }
        pendingInterstitial = startOpening(id, item, at: ItemEpoch(of: item, epoch: epoch))
    }

    /// Handles the opening of the item that is to interrupt the current one.
    func interstitialOpened(_ result: Result<ItemPipeline, MediaError>, _ item: MediaItem) {
        guard let id = pendingInterstitial?.id else { return }
        switch result {
        case .failure(let error): handle(.preparedFailed(id, error))
        case .success(let pipeline):
            pendingInterstitial?.didOpen(
                pipeline,
                item,
                forwardBufferDuration: forwardBufferDuration(of: id, item)
            )
            prepareAudioDevice(for: pipeline)
            if pipeline.canPlayReverse { execute(state.handle(.reversible(id))) }
            handle(.preparedOpened(id, duration: item.measuredDuration ?? pipeline.description.duration))
            if !pipeline.description.isLocal { pipeline.setReportsProgress(true) }
            pipeline.wake()
        }
    }

    func discardPendingInterstitial() {
        guard let old = pendingInterstitial else { return }
        pendingInterstitial = nil
        publisher.counters.faults += old.faultsBeforeVisible
        discard(old)
    }

    /// Lets the pending interstitial begin once its first frames are decoded. An item without frames fails instead, so
    /// that the current one plays on.
    func updateInterstitial() {
        guard let pending = pendingInterstitial, let pipeline = pending.pipeline,
            pipeline.hasSufficientData(pending.start), pendingInterstitial?.updateReadiness() == true
        else { return }
        pipeline.setReportsProgress(false)
        if hasNoFrames(pending, pipeline) {
            return apply(.preparedFailed(pending.id, missingFramesError(pending, pipeline)))
        }
        if state.timelineRate != 0, let chosenStart, chosenStart > now {
            // The interstitial would wait for the start of the current item, which continues after it instead.
            apply(.restart(state.rate, at: nil))
        }
        apply(.preparedReady(pending.id))
    }

    // MARK: Transitions

    func beginInterstitial(_ id: ItemID, isSeamless: Bool) {
        guard let new = pendingInterstitial, new.id == id else { return }
        pendingInterstitial = nil
        let now = now
        let time = presentation.timeline.media(at: now)
        // An item that plays may be an interstitial, which does not continue.
        let suspends =
            suspended == nil && current.map { $0.id == state.interstitial?.primary?.item.id } ?? false
        if isSeamless { withdrawAudio(keepsHistory: suspends, at: now) }
        if let old = current {
            if suspends {
                suspend(old, at: now)
            } else {
                sources[old.id] = nil
                closeCurrent()
                returnPrefetchedAudio()
            }
        }
        makeCurrent(new, isSeamless: isSeamless) { pipeline in
            presentation.follow(pipeline, start: new.start, at: time)
        } clear: {
            audio.output?.interrupt(keepsHistory: suspends)
        }
        updateAgain()
    }

    private func suspend(_ old: OpenItem, at now: HostTime) {
        suspended = SuspendedItem(
            item: old,
            presentation: presentation.current,
            position: max(.zero, presentation.itemTime(at: now)),
            observed: observers.progress,
            frame: layers.lastItem == old.id ? layers.lastFrame : nil
        )
        publisher.countBytes(of: old)
    }

    func endInterstitial(_ id: ItemID, from old: ItemID, _ epoch: Epoch, isSeamless: Bool) {
        guard let primary = suspended, primary.item.id == id else { return }
        suspended = nil
        let now = now
        // The end is reported slightly late in real time.
        let end = current?.pipeline.flatMap { presentation.passEnd($0)?.itemTime }
        let time = min(
            presentation.timeline.media(at: now),
            end.map(presentation.origin.timelineTime) ?? presentation.timeline.media(at: now)
        )
        if isSeamless { withdrawAudio(keepsHistory: false, at: now) } else { audio.output?.flush() }
        sources[old] = nil
        closeCurrent()
        current = primary.item
        if let bytes = primary.item.pipeline?.withProgress(\.bytes) { publisher.continueBytes(bytes) }
        presentation.current = primary.presentation
        presentation.ends = primary.item.ends
        let begin = presentation.origin.timelineTime(of: primary.position)
        if isSeamless {
            presentation.current.pass.move(by: time - begin)
        } else {
            presentation.timeline.jump(to: begin, epoch: epoch, at: now)
        }
        audio.output?.endInterruption(
            movedBy: isSeamless ? time - begin : 0,
            from: presentation.origin.timelineTime(of: primary.position),
            timeline: isSeamless ? presentation.timeline : nil,
            epochs: [primary.item.start.epoch, primary.presentation.pass.audioPrefetch?.epoch].compactMap(
                \.self
            )
        )
        observers.continued(primary.observed, itemTime: primary.position)
        openCues(id, sources[id]?.make()?.cueSources ?? [:])
        showFrame(of: primary, at: now)
        if let (result, item) = primary.opened {
            perform { $0.opened(primary.item.start.epoch, result, item) }
        } else {
            applySettings(of: primary.item)
        }
        updateAgain()
    }

    /// Shows the frame at which the item was interrupted.
    private func showFrame(of primary: SuspendedItem, at now: HostTime) {
        let item = primary.item
        let epoch = item.start.epoch
        let time = primary.position.mediaTime
        let hasVideo = item.pipeline?.video != nil
        // The report that the sinks have received the first frame may have arrived during the interstitial.
        let isFirst = item.epoch.hasPresented && state.item?.hasFirstFrame == false
        let report: @Sendable () -> Void = { [weak self] in
            self?.perform { $0.firstFramePresented(epoch, at: time, hasVideo: hasVideo) }
        }
        let presented = isFirst ? report : nil
        if let frame = primary.frame, !frame.isUndecoded {
            show(frame, due: now, at: now, isEssential: true, done: presented)
        } else {
            if !hasVideo, item.pipeline != nil, layers.hide() {
                self.report(.readyForDisplayChanged(item.id, false))
            }
            presented?()
        }
    }

    /// Applies the settings of the item that were changed during the interstitial.
    private func applySettings(of item: OpenItem) {
        guard item.pipeline != nil, let source = sources[item.id]?.make() else { return }
        if source.choice != item.choice || [source.video, source.audio] != item.tracks {
            requestSwitch(.tracks)
        } else if ItemEnds(of: source) != item.ends {
            requestSwitch()
        }
        // The limits of variants may have changed too.
        chooseVariants()
    }

    func closePrimary(_ id: ItemID) {
        sources[id] = nil
        guard let old = suspended, old.item.id == id else { return }
        suspended = nil
        audio.output?.discardInterruptedAudio()
        // The next item, whose audio was prefetched before the interstitial, begins after the interstitial.
        if let prefetch = old.presentation.pass.audioPrefetch {
            next?.pipeline?.audio?.restore(prefetch.buffers, epoch: prefetch.epoch)
        }
        discard(old.item)
    }

    // MARK: Audio

    /// Takes back the audio that a device has not played yet, as late as possible, so that other audio follows it
    /// without a hole.
    private func withdrawAudio(keepsHistory: Bool, at now: HostTime) {
        guard let output = audio.output, output.device != nil else { return }
        let point = output.rateChangePoint(at: now, epoch: presentation.timeline.epoch)
        output.withdraw(from: point, keepsHistory: keepsHistory)
    }
}
