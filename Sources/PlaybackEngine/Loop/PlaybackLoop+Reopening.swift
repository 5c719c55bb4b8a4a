import MediaCore

/// The current item is opened a second time with other settings: other tracks, other ends, another variant.
enum ItemReload {
    case none
    /// Wanted, but a seek or an opening is under way: only behind that is it known where to go on.
    case wanted
    case open(OpenItem)

    var item: OpenItem? {
        if case .open(let item) = self { return item }
        return nil
    }

    var isWanted: Bool {
        if case .wanted = self { return true }
        return false
    }
}

/// Other tracks or other ends for the item being played: it is opened a second time beside the first, from a
/// little ahead of what has been delivered, and takes the first one's place when playing gets there. Nothing
/// stops meanwhile.
extension PlaybackLoop {
    /// From any thread: what is set on the item has changed. `endsOnly`: nothing but where it ends.
    package func reloadItem(_ id: ItemID, endsOnly: Bool = false) {
        perform { loop in
            if loop.next?.id == id { return loop.handle(.prepareAgain(id)) }
            guard loop.state.item?.id == id else { return }
            if !endsOnly { loop.current?.selectsTracks = true }
            loop.reopen()
        }
    }

    func reopen() {
        cancelReload()
        guard let item = state.item, let source = sources[item.id]?.make() else { return }
        guard item.status == .readyToPlay, item.hasFirstFrame, let pipeline = current?.pipeline else {
            reopening = .wanted
            return
        }
        if goesOn(behind: ItemEnds(of: source), item) { apply(.endMoved(item.id)) }
        let lead = SwitchPoint.lead(isLocal: pipeline.description.isLocal)
        let start = takeoverStart(lead, pipeline.description)
        var new = startOpening(item.id, source, at: ItemEpoch(start: start, retry: SeekRetry()))
        new.lead = lead
        setReload(.open(new))
    }

    private var isPlayingForward: Bool { presentation.timeline.isRunning && !presentation.isReverse }

    /// Where the item opened again takes over: ahead of what is delivered, or, where time stands, at once.
    private func takeoverStart(_ lead: Int64, _ description: MediaDescription) -> EpochStart {
        let now = max(.zero, presentation.itemTime(at: now))
        var begin = now
        if isPlayingForward {
            let ahead = current?.pipeline?.withProgress { $0.ahead(of: now, pass: presentation.pass) } ?? 0
            let place = SwitchPoint(lead: lead, rate: state.rate, description, readUntil: now + ahead)
            begin = place.time(behind: presentation.deliveredUntil(now))
            // Where the old settings end it the new ones may go on.
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

    /// The item opened again is to take over elsewhere.
    private func aim(_ item: OpenItem, lead: Int64) {
        guard let pipeline = item.pipeline else { return }
        var new = item
        new.lead = lead
        let start = takeoverStart(lead, pipeline.description)
        new.begin(ItemEpoch(start: start, retry: SeekRetry()))
        pipeline.setReportsProgress(true)
        setReload(.open(new))
    }

    /// The item has reached an end that was set, and now there is something behind it.
    private func goesOn(behind ends: ItemEnds, _ item: ItemState) -> Bool {
        guard item.hasEnded, item.endError == nil else { return false }
        let now = presentation.itemTime(at: now)
        if presentation.isReverse { return now > ends.reverse }
        guard let old = presentation.ends.forward, old <= now else { return false }
        if let duration = ItemTime(item.duration), duration <= now { return false }
        return ends.forward.map { $0 > now } ?? true
    }

    /// A new epoch begins anyway, and where the item ends now counts in it.
    func takeEnds() {
        guard reopening.isWanted, let old = current, let pipeline = old.pipeline,
            let source = sources[old.id]?.make()
        else { return }
        let ends = ItemEnds(of: source)
        if ends != old.ends {
            current?.ends = ends
            presentation.ends = ends
            pipeline.setEndTime(source.forwardEnd)
            pipeline.setReverseEnd(source.reverseEnd)
        }
        if current?.mustReopen != true { reopening = .none }
    }

    /// The renderer does not end the pass before the place where the reopened item takes over. One that comes over a network
    /// may be late, and holds up the end only where that is another one.
    private func setReload(_ value: ItemReload) {
        reopening = value
        presentation.replacedFrom = nil
        shareNetwork(with: value.item)
        guard let item = value.item else { return }
        let isLocal = current?.pipeline?.description.isLocal ?? true
        if isLocal || item.isReady || item.ends != current?.ends {
            presentation.replacedFrom = ItemTime(item.start.firstWanted)
        }
    }

    /// Of what will not be played no more is fetched: the bytes that come are the new item's.
    private func shareNetwork(with item: OpenItem?) {
        guard let current, let pipeline = current.pipeline, !pipeline.description.isLocal else { return }
        guard let item, isPlayingForward else {
            return pipeline.setForward(sources[current.id]?.make()?.forward)
        }
        let needed = item.takeoverTime - max(.zero, presentation.itemTime(at: now))
        pipeline.setForward(
            min(max(needed, SwitchPoint.leastAhead), pipeline.rules.limits.packets.duration)
        )
    }

    func cancelReload() {
        if let item = reopening.item { discard(item) }
        setReload(.none)
    }

    /// Playing jumps: the place where the reopened item was to take over is of no use any more.
    func postponeReload() {
        guard reopening.item != nil else { return }
        cancelReload()
        reopening = .wanted
    }

    func reopened(_ result: Result<ItemPipeline, MediaError>, _ item: MediaItem) {
        guard var new = reopening.item else { return }
        switch result {
        case .failure(let error):
            cancelReload()
            current?.selectsTracks = false
            current?.selectsVariant = false
            fault(error, of: new.id)
            report(.choiceTaken(new.id, new.choice))
            handle(.framesCame(new.id, isLost: true))
        case .success(let pipeline):
            new.didOpen(pipeline, item, forward: forward(of: new.id, item))
            pipeline.setLooping(state.repeatSetting == .loop)
            setReload(.open(new))
            if isPlayingForward, presentation.itemTime(at: now) > new.takeoverTime {
                aim(new, lead: new.lead)
            } else {
                if !pipeline.description.isLocal { pipeline.setReportsProgress(true) }
                pipeline.wake()
            }
            chooseVariants()
        }
    }

    /// When playing gets to where the reopened item takes over; nil: it is not ready, or has taken over.
    func updateReload(at now: HostTime) -> HostTime? {
        guard var new = reopening.item, let pipeline = new.pipeline else { return nil }
        let time = max(.zero, presentation.itemTime(at: now))
        if isOutOfReach(new, time) {
            aim(new, lead: new.lead)
            return nil
        }
        if !new.isReady, pipeline.hasEnough(new.start), new.becomesReady() {
            pipeline.setReportsProgress(false)
            setReload(.open(new))
            // Frames that were due meanwhile are the old ones', and its own are not decoded yet: it would leave a gap.
            if isPlayingForward, time > new.takeoverTime, new.lead < SwitchPoint.longestLead {
                aim(new, lead: new.lead * 2)
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
        if !presentation.isReverse, time < new.takeoverTime, state.item?.hasEnded != true {
            return presentation.hostTime(forItemTime: new.takeoverTime)
        }
        replaceCurrent(with: new, at: now)
        return nil
    }

    /// Why another variant has nothing where it is to take over: the old one plays on.
    private func failure(of new: OpenItem) -> MediaError? {
        guard let current, current.selectsVariant, !current.selectsTracks, let pipeline = new.pipeline else {
            return nil
        }
        var found: MediaError?
        var hasFrames = false
        for branch in pipeline.trackPipelines {
            guard case .endOfPass(_, nil, let error)? = branch.frames.peek() else {
                hasFrames = true
                continue
            }
            found = found ?? error
        }
        return found ?? (hasFrames ? nil : MediaError(.truncated, "the other variant is shorter"))
    }

    /// Time stands, and not where the reopened item takes over: it was stepped past that, or the data ran out before it.
    private func isOutOfReach(_ new: OpenItem, _ time: ItemTime) -> Bool {
        guard let item = state.item, !presentation.timeline.isRunning, !presentation.isReverse, !item.hasEnded
        else {
            return false
        }
        return time > new.takeoverTime || item.isStalled && time < new.takeoverTime
    }

    private func replaceCurrent(with item: OpenItem, at now: HostTime) {
        guard let pipeline = item.pipeline, let old = current else { return }
        let isSelection = old.selectsTracks || old.pipeline?.tracks.map(\.id) != pipeline.tracks.map(\.id)
        let shown = showsTheSame(pipeline, as: old.pipeline) ? layers.lastFrame : nil
        setReload(.none)
        publisher.countBytes(of: old)
        publisher.countVariants(old.pipeline?.variant, pipeline.variant)
        discard(old)
        current = item.takingPlace(of: old, level: state.item?.level ?? .empty)
        state.adopt(item.start.epoch)
        presentation.ends = item.ends
        texts.keep(item.start.epoch)
        presentation.goOn(with: pipeline, epoch: item.start.epoch, behind: shown?.presentationTime, at: now)
        if presentation.audioIsMisplaced { audio.output?.restart() }
        if isSelection {
            describe(item.id)
            report(.selectionChanged(item.id))
        }
        if state.item?.awaitsFrames == true { apply(.framesCame(item.id, isLost: false)) }
        let hidesVideo = old.pipeline?.video != nil && pipeline.video == nil
        if hidesVideo, layers.hide() { report(.readyForDisplayChanged(item.id, false)) }
        // Steps go on with these frames.
        if state.item?.isStepping == true { updateAgain() }
        // Standing still, a frame of another track is shown at once.
        guard shown == nil, !presentation.timeline.isRunning,
            case .video(let frame)? = pipeline.video?.frames.peek()
        else { return }
        pipeline.video?.advance()
        show(frame, due: now, at: now, isEssential: true, done: nil)
    }

    /// The same video track, or, while frames are to move, another variant: then no frame is shown twice.
    private func showsTheSame(_ new: ItemPipeline, as old: ItemPipeline?) -> Bool {
        if old?.video?.track.id == new.video?.track.id { return true }
        return state.rate != 0 && old?.variant != nil && new.variant != nil
    }

    // MARK: Variants

    /// From any thread: which variant fits may have changed.
    package func reconsiderVariants() { perform { $0.chooseVariants() } }

    /// An item that plays another variant than the one that is wanted now is opened once more.
    func chooseVariants() {
        if let next, isOutdated(next) { handle(.prepareAgain(next.id)) }
        if isWantedAgain {
            current?.selectsVariant = false
            return cancelReload()
        }
        // What is being opened is looked at when it is open.
        guard let item = reopening.item ?? current, item.pipeline != nil, isOutdated(item) else { return }
        current?.selectsVariant = true
        reopen()
    }

    /// Nothing but another variant was wanted, and now it is the one that is played.
    private var isWantedAgain: Bool {
        guard let current, current.selectsVariant, !current.selectsTracks, current.pipeline != nil,
            let source = sources[current.id]?.make(), ItemEnds(of: source) == current.ends
        else { return false }
        return !isOutdated(current)
    }

    private func isOutdated(_ item: OpenItem) -> Bool {
        guard let pipeline = item.pipeline, pipeline.description.variants.count > 1,
            let source = sources[item.id]?.make()?.limited(by: item.adaptation?.limit)
        else { return false }
        return source.variant(of: pipeline.description) != pipeline.variant
    }
}

extension OpenItem {
    /// Where it takes over.
    fileprivate var takeoverTime: ItemTime { ItemTime(start.firstWanted) ?? .zero }

    /// The item opened anew takes the place of the old one, and what was seen and told of that holds on.
    fileprivate func takingPlace(of old: OpenItem, level: BufferLevel) -> OpenItem {
        var item = self
        item.buffer = BufferMonitor(level: level, rules: pipeline?.rules ?? .local)
        item.reading = old.reading
        item.adaptation = old.adaptation
        item.hasFrames = old.hasFrames
        item.isVisibleToObservers = old.isVisibleToObservers
        item.openedAt = old.openedAt
        item.epoch.hasPresented = true
        item.epoch.retry = old.epoch.retry
        item.epoch.steps = old.epoch.steps.begunAnew
        return item
    }
}
