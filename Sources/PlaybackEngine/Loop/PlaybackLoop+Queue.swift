import MediaCore

/// The item behind the current one, opened ahead of need.
struct PreparedItem {
    let id: ItemID
    var start: EpochStart
    let demuxer: any Demuxer
    var endTime: Int64?
    var reverseEnd: Int64 = 0
    var pipeline: ItemPipeline?
    var isReady = false
    /// Where to look next, should the first frames lie behind the wanted ones.
    var late = LateLanding()

    /// Every track shows its first frame, or has none at hand although all that may be read ahead was read.
    func becomesReady() -> Bool {
        guard !isReady, let pipeline else { return false }
        let isFull = pipeline.isFull(start.epoch)
        return pipeline.branches.allSatisfy { !$0.frames.isEmpty || isFull && $0.packets.isEmpty }
    }
}

extension PreparedItem {
    func letGo() {
        demuxer.cancel()
        pipeline?.cancel()
        pipeline?.releaseOnItsLane()
    }
}

extension EpochStart {
    /// Where an item begins by itself.
    init(of item: MediaItem, epoch: Epoch) {
        self.init(
            epoch: epoch,
            firstWanted: item.start,
            demuxTarget: item.start,
            isLastAttempt: item.start == nil
        )
    }

    /// The same, looked for from an earlier time.
    func earlier(_ target: MediaTime, _ epoch: Epoch) -> EpochStart {
        var start = self
        start.epoch = epoch
        start.demuxTarget = target
        start.isLastAttempt = target <= .zero
        return start
    }
}

/// Preparing the next item and going over to it.
extension PlaybackLoop {
    func prepare(_ id: ItemID, _ epoch: Epoch) {
        guard let item = items[id]?.make() else { return }
        let start = EpochStart(of: item, epoch: epoch)
        // Nothing may be reported before it is known here, and nothing is: it comes through this lane.
        prepared = PreparedItem(
            id: id,
            start: start,
            demuxer: startOpening(id, item, at: start),
            endTime: item.forwardEnd?.nanoseconds,
            reverseEnd: item.reverseEnd.nanoseconds ?? 0,
            late: LateLanding(of: item)
        )
    }

    /// What was asked for lies before what was found. False: there is nowhere else to look, or no time.
    func prepareEarlier() -> Bool {
        guard let old = prepared, !old.isReady, let pipeline = old.pipeline,
            let earlier = prepared?.late.next()
        else { return false }
        let start = old.start.earlier(earlier, state.renewPrepared())
        prepared?.start = start
        pipeline.begin(start)
        return true
    }

    func preparedOpened(_ id: ItemID, _ result: Result<ItemPipeline, MediaError>, _ item: MediaItem) {
        switch result {
        case .failure(let error): handle(.preparedFailed(id, error))
        case .success(let pipeline):
            prepared?.pipeline = pipeline
            setUp(pipeline, of: id, item)
            if pipeline.canPlayReverse { carryOut(state.handle(.reversible(id))) }
            let description = pipeline.description
            handle(.preparedOpened(id, duration: description.duration, isSeekable: description.isSeekable))
            pipeline.wake()
            chooseVariants()
        }
    }

    func discard(_ id: ItemID) {
        if prepared?.id == id { dropPrepared() }
    }

    func dropPrepared() {
        if let prepared, renderer.ahead?.epoch == prepared.start.epoch {
            dropSoundAhead()
            renderer.ahead = nil
        }
        prepared?.letGo()
        prepared = nil
        countFaultsAhead()
    }

    func lookAtPrepared() {
        guard let prepared, prepared.becomesReady() else { return }
        self.prepared?.isReady = true
        carryOut(state.handle(.preparedReady(prepared.id)))
    }

    func takeOver(_ id: ItemID, from old: ItemID, isSeamless: Bool) {
        guard let next = prepared, next.id == id else { return }
        prepared = nil
        isTakingOver = true
        dropReplacement()
        renewsWhenLanded = false
        let end = pipeline.flatMap { renderer.passEnd($0)?.itemTime } ?? 0
        items[old] = nil
        closePipeline()
        reading.begin()
        pipeline = next.pipeline
        start = next.start
        // Behind a seam its frames have been found already.
        late = isSeamless ? LateLanding() : next.late
        monitor = BufferMonitor(level: isSeamless ? .afterSeam : .empty, rules: pipeline?.rules ?? .local)
        setCancellable(next.demuxer)
        renderer.endTime = next.endTime
        renderer.reverseEnd = next.reverseEnd
        renderer.isReverse = false
        pendingSteps = 0
        openedAt = driver.clock.now
        hasFrames = isSeamless
        landingEpoch = isSeamless ? start.epoch : nil
        if isSeamless, let pipeline {
            renderer.follow(pipeline, start: start, endOfLast: end)
        } else {
            renderer.begin(start.epoch, at: driver.clock.now, itemTime: start.firstWanted)
            stopShowing(old)
        }
        observers.jumped(itemTime: start.firstWanted?.nanoseconds ?? 0)
        openTexts(id, items[id]?.make()?.texts ?? [:])
    }
}
