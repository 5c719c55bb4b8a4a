import MediaCore

/// The current item is opened a second time with other settings: other tracks, other ends, another variant.
enum Reopening {
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

    /// How far ahead of what is delivered the new tracks begin: time enough to open a file.
    private static let lead: Int64 = 250_000_000

    func reopen() {
        dropReopening()
        guard let item = state.item, let source = sources[item.id]?.make() else { return }
        guard item.status == .readyToPlay, item.hasFirstFrame, current?.pipeline != nil else {
            reopening = .wanted
            return
        }
        if goesOn(behind: ItemEnds(of: source), item) { apply(.endMoved(item.id)) }
        let now = renderer.itemTime(at: now)
        let isAhead = renderer.timeline.isRunning && !renderer.isReverse
        var begin = isAhead ? renderer.deliveredUntil(now) + Self.lead : max(.zero, now)
        // Where the old settings end it the new ones may go on.
        if isAhead, let end = renderer.ends.forward { begin = min(begin, max(now, end)) }
        let time = begin.mediaTime
        let start = EpochStart(
            epoch: state.makeEpoch(),
            firstWanted: time,
            demuxTarget: time,
            isReverse: renderer.isReverse
        )
        setReopening(.open(startOpening(item.id, source, at: ItemEpoch(start: start, retry: SeekRetry()))))
    }

    /// The item has reached an end that was set, and now there is something behind it.
    private func goesOn(behind ends: ItemEnds, _ item: ItemState) -> Bool {
        guard item.hasEnded, item.endError == nil else { return false }
        let now = renderer.itemTime(at: now)
        if renderer.isReverse { return now > ends.reverse }
        guard let old = renderer.ends.forward, old <= now else { return false }
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
            renderer.ends = ends
            pipeline.setEndTime(source.forwardEnd)
            pipeline.setReverseEnd(source.reverseEnd)
        }
        if current?.selectsTracks != true { reopening = .none }
    }

    /// The renderer does not end the pass before the place where the reopened item takes over.
    private func setReopening(_ value: Reopening) {
        reopening = value
        renderer.replacedFrom = ItemTime(value.item?.start.firstWanted)
    }

    func dropReopening() {
        if let item = reopening.item { discard(item) }
        setReopening(.none)
    }

    /// Playing jumps: the place where the reopened item was to take over is of no use any more.
    func postponeReopening() {
        guard reopening.item != nil else { return }
        dropReopening()
        reopening = .wanted
    }

    func reopened(_ result: Result<ItemPipeline, MediaError>, _ item: MediaItem) {
        guard var new = reopening.item else { return }
        switch result {
        case .failure(let error):
            dropReopening()
            current?.selectsTracks = false
            fault(error, of: new.id)
            report(.choiceTaken(new.id, new.choice))
            handle(.framesCame(new.id, isLost: true))
        case .success(let pipeline):
            new.didOpen(pipeline, item, forward: forward(of: new.id, item))
            pipeline.setLooping(state.repeatSetting == .loop)
            setReopening(.open(new))
            pipeline.wake()
            chooseVariants()
        }
    }

    /// When playing gets to where the reopened item takes over; nil: it is not ready, or has taken over.
    func updateReopening(at now: HostTime) -> HostTime? {
        guard var new = reopening.item else { return nil }
        if new.becomesReady() { setReopening(.open(new)) }
        guard new.isReady else { return nil }
        let start = ItemTime(new.start.firstWanted) ?? .zero
        if renderer.timeline.isRunning, !renderer.isReverse, renderer.itemTime(at: now) < start {
            return renderer.hostTime(forItemTime: start)
        }
        replaceCurrent(with: new, at: now)
        return nil
    }

    private func replaceCurrent(with item: OpenItem, at now: HostTime) {
        guard let pipeline = item.pipeline, let old = current else { return }
        let isSelection = old.selectsTracks || old.pipeline?.tracks.map(\.id) != pipeline.tracks.map(\.id)
        let shown = showsTheSame(pipeline, as: old.pipeline) ? layers.lastFrame : nil
        setReopening(.none)
        publisher.countBytes(of: old)
        discard(old)
        current = item.takingPlace(of: old, level: state.item?.level ?? .empty)
        state.adopt(item.start.epoch)
        renderer.ends = item.ends
        texts.keep(item.start.epoch)
        renderer.goOn(with: pipeline, epoch: item.start.epoch, behind: shown?.presentationTime, at: now)
        if renderer.audioIsMisplaced { audio.output?.restart() }
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
        guard shown == nil, !renderer.timeline.isRunning,
            case .video(let frame)? = pipeline.video?.frames.peek()
        else { return }
        pipeline.video?.advance()
        show(frame, due: now, at: now, isEssential: true, done: nil)
    }

    /// The same video track, or, while frames move, another variant: then no frame is shown twice.
    private func showsTheSame(_ new: ItemPipeline, as old: ItemPipeline?) -> Bool {
        if old?.video?.track.id == new.video?.track.id { return true }
        return renderer.timeline.isRunning && old?.variant != nil && new.variant != nil
    }

    // MARK: Variants

    /// From any thread: which variant fits may have changed.
    package func reconsiderVariants() { perform { $0.chooseVariants() } }

    /// An item that plays another variant than the one that is wanted now is opened once more.
    func chooseVariants() {
        if let next, isOutdated(next) { handle(.prepareAgain(next.id)) }
        // What is being opened is looked at when it is open.
        guard let item = reopening.item ?? current, item.pipeline != nil, isOutdated(item) else { return }
        current?.selectsTracks = true
        reopen()
    }

    private func isOutdated(_ item: OpenItem) -> Bool {
        guard let pipeline = item.pipeline, pipeline.description.variants.count > 1,
            let source = sources[item.id]?.make()
        else { return false }
        return source.variant(of: pipeline.description) != pipeline.variant
    }
}

extension OpenItem {
    /// The item opened anew takes the place of the old one, and what was seen and told of that holds on.
    fileprivate func takingPlace(of old: OpenItem, level: BufferLevel) -> OpenItem {
        var item = self
        item.buffer = BufferMonitor(level: level, rules: pipeline?.rules ?? .local)
        item.reading = old.reading
        item.hasFrames = old.hasFrames
        item.isAnnounced = old.isAnnounced
        item.openedAt = old.openedAt
        item.epoch.hasPresented = true
        item.epoch.retry = old.epoch.retry
        item.epoch.steps = old.epoch.steps.begunAnew
        return item
    }
}
