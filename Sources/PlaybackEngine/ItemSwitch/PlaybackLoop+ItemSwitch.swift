import MediaCore

/// The second opening of the current item. `ItemSwitch` decides when it begins, where it takes over, and when.
extension PlaybackLoop {
    /// Reacts to changed settings of an item. May be called from any thread.
    ///
    /// - Parameters:
    ///   - id: The item.
    ///   - endsOnly: Whether nothing but the ends of the item has changed.
    package func reloadItem(_ id: ItemID, endsOnly: Bool = false) {
        perform { loop in
            if loop.next?.id == id || loop.pendingInterstitial?.id == id {
                return loop.handle(.prepareAgain(id))
            }
            guard loop.state.item?.id == id else { return }
            loop.requestSwitch(endsOnly ? [] : .tracks)
        }
    }

    /// Requests a switch to the item's current settings, or continues a requested one.
    func requestSwitch(_ changes: ItemSwitch.Changes = []) {
        let isPossible = state.item?.status == .readyToPlay && state.item?.hasFirstFrame == true
        let description = isPossible ? current?.pipeline?.description : nil
        apply(.itemSwitch(.requested(changes, description.flatMap { switchSituation($0) })))
    }

    /// Returns the situation of a switch to media with a description, or nil if there is no current item.
    private func switchSituation(_ description: MediaDescription) -> ItemSwitch.Situation? {
        guard let item = state.item, let current else { return nil }
        let time = max(.zero, presentation.itemTime(at: now))
        let ahead = current.pipeline?.withProgress { $0.ahead(of: time, pass: presentation.pass) } ?? 0
        return ItemSwitch.Situation(
            time: time,
            rate: state.rate,
            isRunning: presentation.timeline.isRunning,
            isReverse: presentation.isReverse,
            hasEnded: item.hasEnded,
            continuesPastEnd: hasContentAfterCurrentEnd(item),
            isStalled: item.isStalled,
            deliveredUntil: presentation.deliveredUntil(time),
            readUntil: time + ahead,
            forwardEnd: presentation.ends.forward,
            description: description
        )
    }

    /// Returns whether the item has reached an end that was set and, with the new ends, has content after it.
    private func hasContentAfterCurrentEnd(_ item: ItemState) -> Bool {
        guard item.hasEnded, item.endError == nil, let source = sources[item.id]?.make() else { return false }
        let ends = ItemEnds(of: source)
        let now = presentation.itemTime(at: now)
        if presentation.isReverse { return now > ends.reverse }
        guard let old = presentation.ends.forward, old <= now else { return false }
        if let duration = ItemTime(item.duration), duration <= now { return false }
        return ends.forward.map { $0 > now } ?? true
    }

    func performSwitch(_ action: ItemSwitch.Action, _ epoch: Epoch) {
        switch action {
        case .open(let time):
            guard let id = current?.id, let source = sources[id]?.make() else { return }
            replacement = startOpening(id, source, at: switchEpoch(epoch, at: time))
        case .move(let time):
            replacement?.begin(switchEpoch(epoch, at: time))
            replacement?.pipeline?.setReportsProgress(true)
        case .load: break
        case .hold: replacement?.pipeline?.setReportsProgress(false)
        case .replace(let selectsTracks): return replaceCurrent(selectsTracks: selectsTracks, at: now)
        case .discard(let error):
            let old = replacement
            discardReplacement()
            // The faults of its stages have been reported.
            if let error, let old, error != old.newestFault.withLock({ $0 }) { fault(error, of: old.id) }
        case .applyEnds: return applyEnds()
        }
        limitCurrent()
        guard action == .load, let pipeline = replacement?.pipeline else { return }
        if !pipeline.description.isLocal { pipeline.setReportsProgress(true) }
        pipeline.wake()
    }

    private func switchEpoch(_ epoch: Epoch, at time: ItemTime) -> ItemEpoch {
        let start = EpochStart(
            epoch: epoch,
            firstWanted: time.mediaTime,
            demuxTarget: time.mediaTime,
            isReverse: presentation.isReverse
        )
        return ItemEpoch(start: start, retry: SeekRetry())
    }

    func discardReplacement() {
        if let replacement { discard(replacement) }
        replacement = nil
    }

    /// Applies the item's current ends to the epoch that begins.
    private func applyEnds() {
        guard let old = current, let pipeline = old.pipeline, let source = sources[old.id]?.make() else {
            return
        }
        let ends = ItemEnds(of: source)
        guard ends != old.ends else { return }
        current?.ends = ends
        presentation.ends = ends
        pipeline.setEndTime(source.forwardEnd)
        pipeline.setReverseEnd(source.reverseEnd)
    }

    /// Keeps the scheduler from ending the pass before the switch point, and limits reading of the first opening to
    /// what is played before it, so that the network is available to the second one. On a network the second opening
    /// may be late, so it delays the end only if it changes the end, or if the first one lacks data.
    private func limitCurrent() {
        presentation.replacementTime = nil
        guard let current, let pipeline = current.pipeline else { return }
        let isLocal = pipeline.description.isLocal
        let lacksData = pipeline.variant.map { current.failures.count(in: $0) > 0 } ?? false
        if let replacement,
            isLocal || replacement.isReady || replacement.ends != current.ends || lacksData
        {
            presentation.replacementTime = ItemTime(replacement.start.firstWanted)
        }
        guard !isLocal else { return }
        guard let time = ItemTime(replacement?.start.firstWanted), presentation.timeline.isRunning,
            !presentation.isReverse
        else {
            return pipeline.setForwardBufferDuration(sources[current.id]?.make()?.forwardBufferDuration)
        }
        let needed = time - max(.zero, presentation.itemTime(at: now))
        pipeline.setForwardBufferDuration(
            min(max(needed, SwitchPoint.minimumReadAhead), pipeline.rules.limits.packets.duration)
        )
    }

    func replacementOpened(_ result: Result<ItemPipeline, MediaError>, _ item: MediaItem) {
        guard let id = replacement?.id, let choice = replacement?.choice else { return }
        switch result {
        case .failure(let error):
            fault(error, of: id)
            report(.choiceApplied(id, choice))
            handle(.itemSwitch(.openingFailed))
        case .success(let pipeline):
            replacement?.didOpen(
                pipeline,
                item,
                forwardBufferDuration: forwardBufferDuration(of: id, item)
            )
            prepareAudioDevice(for: pipeline)
            pipeline.setLooping(state.loopsItem)
            if let situation = switchSituation(pipeline.description) {
                apply(.itemSwitch(.opened(situation)))
            }
            chooseVariants()
        }
    }

    /// Performs the switch if playback has reached the switch point.
    ///
    /// - Returns: The host time at which playback reaches the switch point, or nil if the second opening is not ready
    ///   or has taken over.
    func updateSwitch(at now: HostTime) -> HostTime? {
        guard let new = replacement, let pipeline = new.pipeline,
            let situation = switchSituation(pipeline.description)
        else { return nil }
        let isReady =
            new.isReady || pipeline.hasSufficientData(new.start) && replacement?.updateReadiness() == true
        let unread = new.isReady ? nil : unreadDataError(new)
        let error = isReady ? missingFramesError(pipeline) ?? unread : nil
        apply(.itemSwitch(.progressed(situation, isReady: isReady, error: error)))
        guard case .ready(let target) = state.itemSwitch.phase else { return nil }
        return presentation.hostTime(forItemTime: target.time)
    }

    /// Returns the error with which a track ended before the switch point, or with which all did, or nil.
    private func missingFramesError(_ pipeline: ItemPipeline) -> MediaError? {
        var found: MediaError?
        var hasFrames = false
        for track in pipeline.trackPipelines {
            guard case .endOfPass(_, nil, let error)? = track.frames.peek() else {
                hasFrames = true
                continue
            }
            found = found ?? error
        }
        return found
            ?? (hasFrames ? nil : MediaError(.truncated, "the variant has no data at the switch point"))
    }

    /// Returns the error of data before the first frames that could not be read, such as a missing segment, or nil. A
    /// seek continues without them, so frames are missing that the old variant may have.
    private func unreadDataError(_ new: OpenItem) -> MediaError? {
        let fault = new.newestFault.withLock { $0 }
        return fault.flatMap { $0.isUnreadData ? $0 : nil }
    }

    private func replaceCurrent(selectsTracks: Bool, at now: HostTime) {
        guard let new = replacement, let pipeline = new.pipeline, let old = current else { return }
        let isSelection = selectsTracks || old.pipeline?.tracks.map(\.id) != pipeline.tracks.map(\.id)
        let shown = continuesVideo(pipeline, as: old.pipeline) ? layers.lastFrame : nil
        replacement = nil
        presentation.replacementTime = nil
        publisher.countBytes(of: old)
        publisher.countVariants(old.pipeline?.variant, pipeline.variant)
        discard(old)
        current = new.replacing(old, level: state.item?.level ?? .empty)
        presentation.ends = new.ends
        cueTracks.adopt(new.start.epoch)
        presentation.continuePass(
            with: pipeline,
            epoch: new.start.epoch,
            after: shown?.presentationTime,
            at: now
        )
        if presentation.audioIsVoid { audio.output?.discardUnplayed() }
        if isSelection {
            describe(new.id)
            report(.selectionChanged(new.id))
        }
        let hidesVideo = old.pipeline?.video != nil && pipeline.video == nil
        if hidesVideo, layers.hide() { report(.readyForDisplayChanged(new.id, false)) }
        // Pending steps continue with the new item's frames.
        if state.item?.isStepping == true { updateAgain() }
        // While the timeline is stopped, a frame of another track is shown immediately.
        guard shown == nil, state.timelineRate == 0, case .video(let frame)? = pipeline.video?.frames.peek()
        else { return }
        pipeline.video?.advance()
        show(frame, due: now, at: now, isEssential: true, done: nil)
    }

    /// Returns whether the new pipeline continues the video that is being shown, so that no frame is shown twice: it
    /// plays the same video track or, during playback, another variant.
    private func continuesVideo(_ new: ItemPipeline, as old: ItemPipeline?) -> Bool {
        if old?.video?.track.id == new.video?.track.id { return true }
        return state.rate != 0 && old?.variant != nil && new.variant != nil
    }

    // MARK: Variants

    /// Chooses variants again, because the preferred one may have changed. May be called from any thread.
    package func reconsiderVariants() { perform { $0.chooseVariants() } }

    /// Switches to the preferred variant if another one is played.
    func chooseVariants() {
        if let next, hasOutdatedVariant(next) { handle(.prepareAgain(next.id)) }
        if isPreferredAgain { return apply(.itemSwitch(.variantRestored)) }
        // An item that is opening is checked again once it is open.
        guard let item = replacement ?? current, item.pipeline != nil, hasOutdatedVariant(item) else {
            return
        }
        requestSwitch(.variant)
    }

    /// A Boolean value that indicates whether only another variant was requested and the variant being played is the
    /// preferred one again.
    private var isPreferredAgain: Bool {
        guard state.itemSwitch.changes == .variant, let current, current.pipeline != nil,
            let source = sources[current.id]?.make(), ItemEnds(of: source) == current.ends
        else { return false }
        return !hasOutdatedVariant(current)
    }

    private func hasOutdatedVariant(_ item: OpenItem) -> Bool {
        let failures = failures(of: item.id)
        guard let pipeline = item.pipeline, pipeline.description.variants.count > 1,
            let source = sources[item.id]?.make()?.adapted(to: item.adaptation?.limit, avoiding: failures)
        else { return false }
        return source.variant(of: pipeline.description) != pipeline.variant
    }
}

extension OpenItem {
    /// Returns the second opening as the replacement of `old`. What has been reported about the old item remains
    /// valid.
    fileprivate func replacing(_ old: OpenItem, level: BufferLevel) -> OpenItem {
        var item = self
        item.buffer = BufferMonitor(level: level, rules: pipeline?.rules ?? .local)
        item.reading = old.reading
        item.adaptation = old.adaptation
        item.failures = old.failures
        item.hasFrames = old.hasFrames
        item.isVisibleToObservers = old.isVisibleToObservers
        item.openedAt = old.openedAt
        item.epoch.hasPresented = true
        item.epoch.retry = old.epoch.retry
        item.epoch.steps = old.epoch.steps.restarted
        return item
    }
}
