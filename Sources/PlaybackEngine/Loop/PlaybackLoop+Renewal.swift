import MediaCore

/// Other tracks or other ends for the item being played: it is opened a second time beside the first, from a
/// little ahead of what has been delivered, and takes the first one's place when playing gets there. Nothing
/// stops meanwhile.
extension PlaybackLoop {
    /// From any thread: what is set on the item has changed.
    package func renewItem(_ id: ItemID) {
        perform { loop in
            if loop.prepared?.id == id { return loop.handle(.prepareAgain(id)) }
            guard loop.state.item?.id == id else { return }
            loop.renew()
        }
    }

    /// How far ahead of what is delivered the new tracks begin: time enough to open a file.
    private static let renewalLead: Int64 = 250_000_000

    func renew() {
        dropReplacement()
        guard let item = state.item, let source = items[item.id]?.make() else { return }
        // An opening or a seek under way is waited for: only then is it known where to go on.
        guard item.status == .readyToPlay, item.hasLanded, pipeline != nil else {
            renewsWhenLanded = true
            return
        }
        renewsWhenLanded = false
        let now = renderer.itemTime(at: driver.clock.now)
        let isAhead = renderer.timeline.isRunning && !renderer.isReverse
        var next = isAhead ? renderer.deliveredUntil(now) &+ Self.renewalLead : max(0, now)
        // Where the old settings end it the new ones may go on.
        if isAhead, let end = renderer.endTime { next = min(next, max(now, end)) }
        let time = Self.itemTime(next)
        let start = EpochStart(
            epoch: state.makeEpoch(),
            firstWanted: time,
            demuxTarget: time,
            isReverse: renderer.isReverse
        )
        replacement = PreparedItem(
            id: item.id,
            start: start,
            demuxer: startOpening(item.id, source, at: start),
            endTime: source.forwardEnd?.nanoseconds,
            reverseEnd: source.reverseEnd.nanoseconds ?? 0
        )
    }

    func replacementOpened(_ result: Result<ItemPipeline, MediaError>, _ item: MediaItem) {
        switch result {
        case .failure(let error):
            let id = replacement?.id
            dropReplacement()
            if let id { fault(error, of: id) }
        case .success(let pipeline):
            replacement?.pipeline = pipeline
            pipeline.setLooping(state.repeatSetting == .loop)
            if let id = replacement?.id { setUp(pipeline, of: id, item) }
            pipeline.wake()
            chooseVariants()
        }
    }

    /// From any thread: which variant fits may have changed.
    package func reconsiderVariants() { perform { $0.chooseVariants() } }

    /// Opens what plays another variant than the one that is wanted now once more.
    func chooseVariants() {
        if let next = prepared, let pipeline = next.pipeline, isOutdated(pipeline, of: next.id) {
            handle(.prepareAgain(next.id))
        }
        // What is being opened is looked at when it is open.
        guard replacement == nil || replacement?.pipeline != nil, let id = state.item?.id,
            let pipeline = replacement?.pipeline ?? self.pipeline, isOutdated(pipeline, of: id)
        else { return }
        renew()
    }

    private func isOutdated(_ pipeline: ItemPipeline, of id: ItemID) -> Bool {
        guard pipeline.description.variants.count > 1, let item = items[id]?.make() else { return false }
        return item.variant(of: pipeline.description) != pipeline.variant
    }

    func dropReplacement() {
        replacement?.letGo()
        replacement = nil
    }

    /// Playing jumps: where the replacement begins is of no use any more.
    func postponeRenewal() {
        guard replacement != nil else { return }
        dropReplacement()
        renewsWhenLanded = true
    }

    /// When playing gets to where the replacement takes over; nil: it is not ready, or has taken over.
    func lookAtReplacement(at now: HostTime) -> HostTime? {
        guard let next = replacement, next.isReady || next.becomesReady() else { return nil }
        replacement?.isReady = true
        let start = next.start.firstWanted?.nanoseconds ?? 0
        if renderer.timeline.isRunning, !renderer.isReverse, renderer.itemTime(at: now) < start {
            return renderer.hostTime(forItemTime: start)
        }
        replace(with: next, at: now)
        return nil
    }

    private func replace(with next: PreparedItem, at now: HostTime) {
        guard let pipeline = next.pipeline else { return }
        let isSameTrack = self.pipeline?.video?.track.id == pipeline.video?.track.id
        // Another variant has the same pictures: while they move none is shown twice.
        let isSameProgramme =
            renderer.timeline.isRunning && self.pipeline?.variant != nil && pipeline.variant != nil
        // Another end is no other choice of tracks, and what is chosen again is told of.
        let hasOtherEnds = (renderer.endTime, renderer.reverseEnd) != (next.endTime, next.reverseEnd)
        let isSelection = !hasOtherEnds || self.pipeline?.tracks.map(\.id) != pipeline.tracks.map(\.id)
        let shown = isSameTrack || isSameProgramme ? lastFrame : nil
        replacement = nil
        closePipeline()
        self.pipeline = pipeline
        start = next.start
        state.adopt(start.epoch)
        landingEpoch = start.epoch
        monitor = BufferMonitor(level: state.item?.level ?? .empty, rules: pipeline.rules)
        setCancellable(next.demuxer)
        renderer.endTime = next.endTime
        renderer.reverseEnd = next.reverseEnd
        keepTexts()
        renderer.goOn(with: pipeline, epoch: start.epoch, behind: shown?.presentationTime, at: now)
        if isSelection {
            describe(next.id)
            report(.selectionChanged(next.id))
        }
        // Standing still, a picture of another track is shown at once.
        guard shown == nil, !renderer.timeline.isRunning,
            case .video(let frame)? = pipeline.video?.frames.peek()
        else { return }
        pipeline.video?.advance()
        show(frame, due: now, at: now, isEssential: true, done: nil)
    }
}
