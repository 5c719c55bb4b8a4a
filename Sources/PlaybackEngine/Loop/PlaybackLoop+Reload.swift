import MediaCore

/// The state of a reload: the current item is opened a second time with other settings, such as other tracks, other
/// ends or another variant.
enum ItemReload {
    case none
    /// A reload is requested but cannot start, because a seek is under way or the item is opening. The switch point
    /// is known only afterwards.
    case pending
    case open(OpenItem)

    var item: OpenItem? {
        if case .open(let item) = self { return item }
        return nil
    }

    var isPending: Bool {
        if case .pending = self { return true }
        return false
    }
}

/// Reloading the current item. With other tracks or ends, the item is opened a second time beside the first one, from
/// a position slightly ahead of what has been delivered. It replaces the first one when playback reaches that
/// position. Playback does not stop meanwhile.
extension PlaybackLoop {
    /// Reacts to changed settings of an item. May be called from any thread.
    ///
    /// - Parameters:
    ///   - id: The item.
    ///   - endsOnly: Whether nothing but the ends of the item has changed.
    package func reloadItem(_ id: ItemID, endsOnly: Bool = false) {
        perform { loop in
            if loop.next?.id == id { return loop.handle(.prepareAgain(id)) }
            guard loop.state.item?.id == id else { return }
            if !endsOnly { loop.current?.selectsTracks = true }
            loop.reloadCurrent()
        }
    }

    func reloadCurrent() {
        cancelReload()
        guard let item = state.item, let source = sources[item.id]?.make() else { return }
        guard item.status == .readyToPlay, item.hasFirstFrame, let pipeline = current?.pipeline else {
            reload = .pending
            return
        }
        if hasContentAfterCurrentEnd(with: ItemEnds(of: source), item) { apply(.endMoved(item.id)) }
        let switchLead = SwitchPoint.lead(isLocal: pipeline.description.isLocal)
        let start = switchStart(switchLead, pipeline.description)
        var new = startOpening(item.id, source, at: ItemEpoch(start: start, retry: SeekRetry()))
        new.switchLead = switchLead
        setReload(.open(new))
    }

    private var isPlayingForward: Bool { presentation.timeline.isRunning && !presentation.isReverse }

    /// Returns the epoch start at which the reloaded item takes over: ahead of what is delivered, or immediately if
    /// the timeline is stopped.
    private func switchStart(_ switchLead: Int64, _ description: MediaDescription) -> EpochStart {
        let now = max(.zero, presentation.itemTime(at: now))
        var begin = now
        if isPlayingForward {
            let ahead = current?.pipeline?.withProgress { $0.ahead(of: now, pass: presentation.pass) } ?? 0
            let switchPoint = SwitchPoint(
                lead: switchLead,
                rate: state.rate,
                description,
                readUntil: now + ahead
            )
            begin = switchPoint.time(after: presentation.deliveredUntil(now))
            // The new settings may continue past the end that the old ones set.
            if let end = presentation.ends.forward { begin = min(begin, max(now, end)) }
        }
        let time = begin.mediaTime
        return EpochStart(
            epoch: state.makeEpoch(),
            firstWanted: time,
            demuxTarget: time,
            isReverse: presentation.isReverse
        )
    }

    /// Makes the reloaded item take over at another position.
    private func retarget(_ item: OpenItem, lead switchLead: Int64) {
        guard let pipeline = item.pipeline else { return }
        var new = item
        new.switchLead = switchLead
        let start = switchStart(switchLead, pipeline.description)
        new.begin(ItemEpoch(start: start, retry: SeekRetry()))
        pipeline.setReportsProgress(true)
        setReload(.open(new))
    }

    /// Returns whether the item has reached an end that was set and, with the new ends, has content after it.
    private func hasContentAfterCurrentEnd(with ends: ItemEnds, _ item: ItemState) -> Bool {
        guard item.hasEnded, item.endError == nil else { return false }
        let now = presentation.itemTime(at: now)
        if presentation.isReverse { return now > ends.reverse }
        guard let old = presentation.ends.forward, old <= now else { return false }
        if let duration = ItemTime(item.duration), duration <= now { return false }
        return ends.forward.map { $0 > now } ?? true
    }

    /// Applies the item's current ends to a new epoch, so that they need no reload.
    func applyEnds() {
        guard reload.isPending, let old = current, let pipeline = old.pipeline,
            let source = sources[old.id]?.make()
        else { return }
        let ends = ItemEnds(of: source)
        if ends != old.ends {
            current?.ends = ends
            presentation.ends = ends
            pipeline.setEndTime(source.forwardEnd)
            pipeline.setReverseEnd(source.reverseEnd)
        }
        if current?.mustReload != true { reload = .none }
    }

    /// Sets the reload state, and keeps the scheduler from ending the pass before the switch point. A reloaded item
    /// on a network may be late, so it delays the end only if it changes the end.
    private func setReload(_ value: ItemReload) {
        reload = value
        presentation.replacementTime = nil
        limitReadAhead(for: value.item)
        guard let item = value.item else { return }
        let isLocal = current?.pipeline?.description.isLocal ?? true
        if isLocal || item.isReady || item.ends != current?.ends {
            presentation.replacementTime = ItemTime(item.start.firstWanted)
        }
    }

    /// Limits reading of the old item to what is played before the switch, so that the network is available to the
    /// new one.
    private func limitReadAhead(for item: OpenItem?) {
        guard let current, let pipeline = current.pipeline, !pipeline.description.isLocal else { return }
        guard let item, isPlayingForward else {
            return pipeline.setForwardBufferDuration(sources[current.id]?.make()?.forwardBufferDuration)
        }
        let needed = item.switchTime - max(.zero, presentation.itemTime(at: now))
        pipeline.setForwardBufferDuration(
            min(max(needed, SwitchPoint.minimumReadAhead), pipeline.rules.limits.packets.duration)
        )
    }

    func cancelReload() {
        if let item = reload.item { discard(item) }
        setReload(.none)
    }

    /// Discards the reloaded item and requests another reload, because after a jump its switch point is not useful
    /// any more.
    func postponeReload() {
        guard reload.item != nil else { return }
        cancelReload()
        reload = .pending
    }

    func reloadOpened(_ result: Result<ItemPipeline, MediaError>, _ item: MediaItem) {
        guard var new = reload.item else { return }
        switch result {
        case .failure(let error):
            cancelReload()
            current?.selectsTracks = false
            current?.selectsVariant = false
            fault(error, of: new.id)
            report(.choiceApplied(new.id, new.choice))
            handle(.framesArrived(new.id, isLost: true))
        case .success(let pipeline):
            new.didOpen(pipeline, item, forwardBufferDuration: forwardBufferDuration(of: new.id, item))
            pipeline.setLooping(state.repeatSetting == .loop)
            setReload(.open(new))
            if isPlayingForward, presentation.itemTime(at: now) > new.switchTime {
                retarget(new, lead: new.switchLead)
            } else {
                if !pipeline.description.isLocal { pipeline.setReportsProgress(true) }
                pipeline.wake()
            }
            chooseVariants()
        }
    }

    /// Performs the switch if playback has reached the switch point.
    ///
    /// - Returns: The host time at which playback reaches the switch point, or nil if the reloaded item is not ready
    ///   or has taken over.
    func updateReload(at now: HostTime) -> HostTime? {
        guard var new = reload.item, let pipeline = new.pipeline else { return nil }
        let time = max(.zero, presentation.itemTime(at: now))
        if isOutOfReach(new, time) {
            retarget(new, lead: new.switchLead)
            return nil
        }
        if !new.isReady, pipeline.hasSufficientData(new.start), new.updateReadiness() {
            pipeline.setReportsProgress(false)
            setReload(.open(new))
            // The new item's frames for the time that has passed are not decoded, so a switch would leave a gap.
            if isPlayingForward, time > new.switchTime, new.switchLead < SwitchPoint.maximumLead {
                retarget(new, lead: new.switchLead * 2)
                return nil
            }
        }
        guard new.isReady else { return nil }
        if let error = failure(of: new) {
            current?.selectsVariant = false
            cancelReload()
            fault(error, of: new.id)
            return nil
        }
        if !presentation.isReverse, time < new.switchTime, state.item?.hasEnded != true {
            return presentation.hostTime(forItemTime: new.switchTime)
        }
        replaceCurrent(with: new, at: now)
        return nil
    }

    /// Returns the error of a variant that has no frames at the switch point, or nil. In case of an error the old
    /// variant continues to play.
    private func failure(of new: OpenItem) -> MediaError? {
        guard let current, current.selectsVariant, !current.selectsTracks, let pipeline = new.pipeline else {
            return nil
        }
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

    /// Returns whether the stopped timeline cannot reach the switch point: it was stepped past that point, or the
    /// data ran out before it.
    private func isOutOfReach(_ new: OpenItem, _ time: ItemTime) -> Bool {
        guard let item = state.item, !presentation.timeline.isRunning, !presentation.isReverse, !item.hasEnded
        else {
            return false
        }
        return time > new.switchTime || item.isStalled && time < new.switchTime
    }

    private func replaceCurrent(with item: OpenItem, at now: HostTime) {
        guard let pipeline = item.pipeline, let old = current else { return }
        let isSelection = old.selectsTracks || old.pipeline?.tracks.map(\.id) != pipeline.tracks.map(\.id)
        let shown = continuesVideo(pipeline, as: old.pipeline) ? layers.lastFrame : nil
        setReload(.none)
        publisher.countBytes(of: old)
        publisher.countVariants(old.pipeline?.variant, pipeline.variant)
        discard(old)
        current = item.replacing(old, level: state.item?.level ?? .empty)
        state.adopt(item.start.epoch)
        presentation.ends = item.ends
        cueTracks.adopt(item.start.epoch)
        presentation.continuePass(
            with: pipeline,
            epoch: item.start.epoch,
            after: shown?.presentationTime,
            at: now
        )
        if presentation.audioIsMisplaced { audio.output?.restart() }
        if isSelection {
            describe(item.id)
            report(.selectionChanged(item.id))
        }
        if state.item?.awaitsFrames == true { apply(.framesArrived(item.id, isLost: false)) }
        let hidesVideo = old.pipeline?.video != nil && pipeline.video == nil
        if hidesVideo, layers.hide() { report(.readyForDisplayChanged(item.id, false)) }
        // Pending steps continue with the new item's frames.
        if state.item?.isStepping == true { updateAgain() }
        // While the timeline is stopped, a frame of another track is shown immediately.
        guard shown == nil, !presentation.timeline.isRunning,
            case .video(let frame)? = pipeline.video?.frames.peek()
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

    /// Reloads an item that plays another variant than the preferred one.
    func chooseVariants() {
        if let next, hasOutdatedVariant(next) { handle(.prepareAgain(next.id)) }
        if isPreferredAgain {
            current?.selectsVariant = false
            return cancelReload()
        }
        // An item that is opening is checked again once it is open.
        guard let item = reload.item ?? current, item.pipeline != nil, hasOutdatedVariant(item) else {
            return
        }
        current?.selectsVariant = true
        reloadCurrent()
    }

    /// A Boolean value that indicates whether only another variant was requested and the variant being played is the
    /// preferred one again.
    private var isPreferredAgain: Bool {
        guard let current, current.selectsVariant, !current.selectsTracks, current.pipeline != nil,
            let source = sources[current.id]?.make(), ItemEnds(of: source) == current.ends
        else { return false }
        return !hasOutdatedVariant(current)
    }

    private func hasOutdatedVariant(_ item: OpenItem) -> Bool {
        guard let pipeline = item.pipeline, pipeline.description.variants.count > 1,
            let source = sources[item.id]?.make()?.limited(by: item.adaptation?.limit)
        else { return false }
        return source.variant(of: pipeline.description) != pipeline.variant
    }
}

extension OpenItem {
    /// The item time at which the item takes over.
    fileprivate var switchTime: ItemTime { ItemTime(start.firstWanted) ?? .zero }

    /// Returns the reloaded item as the replacement of `old`. What has been reported about the old item remains
    /// valid.
    fileprivate func replacing(_ old: OpenItem, level: BufferLevel) -> OpenItem {
        var item = self
        item.buffer = BufferMonitor(level: level, rules: pipeline?.rules ?? .local)
        item.reading = old.reading
        item.adaptation = old.adaptation
        item.hasFrames = old.hasFrames
        item.isVisibleToObservers = old.isVisibleToObservers
        item.openedAt = old.openedAt
        item.epoch.hasPresented = true
        item.epoch.retry = old.epoch.retry
        item.epoch.steps = old.epoch.steps.restarted
        return item
    }
}
