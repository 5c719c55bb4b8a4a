import MediaCore

/// Carrying out what the state decided.
extension PlaybackLoop {
    func carryOut(_ actions: [PlaybackAction]) {
        for action in actions {
            switch action {
            case .open(let id): open(id)
            case .close(let id): close(id)
            case .seek(let epoch, let request): seek(epoch, request)
            case .completeSeek(let id, let finished):
                if id != SeekID(0) { report(.seekCompleted(id, finished: finished)) }
            case .completePreroll(let id, let finished): report(.prerollCompleted(id, finished: finished))
            case .setTimelineRate(let rate): setTimelineRate(rate)
            case .setLooping(let isLooping): pipeline?.setLooping(isLooping)
            case .beginNextPass: beginNextPass()
            case .turn(let epoch, let isReverse): turn(epoch, isReverse: isReverse)
            case .step(let count): pendingSteps = min(pendingSteps &+ count, 1_000_000)
            case .prepare(let id, let epoch): prepare(id, epoch)
            case .discard(let id): discard(id)
            case .forget(let id): items[id] = nil
            case .takeOver(let id, let old, let isSeamless): takeOver(id, from: old, isSeamless: isSeamless)
            case .describe(let id): describe(id)
            case .post(let notice): post(notice)
            }
        }
    }

    private func post(_ notice: PlaybackNotice) {
        switch notice {
        case .playbackStalled: counters.stalls += 1
        case .playedToEnd: counters.passes += 1
        default: break
        }
        report(.notice(notice))
        guard case .itemChanged = notice, isTakingOver else { return }
        isTakingOver = false
        countFaultsAhead()
        publish()
    }

    /// They count for the item that is current now.
    func countFaultsAhead() {
        counters.faults += faultsAhead
        faultsAhead = 0
    }

    private func setTimelineRate(_ rate: Float) {
        let now = driver.clock.now
        let wasRunning = renderer.timeline.isRunning
        let delay = rate == 0 || wasRunning ? 0 : beginFollowing(at: now)
        let start = rate == 0 ? now : appointment ?? now.advanced(by: delay)
        if rate != 0 { appointment = nil }
        if wasRunning, rate > 0, start == now {
            changeRate(rate, at: now)
        } else {
            renderer.setRate(rate, at: start)
            if rate > 0 { resumeSound(at: now) }
        }
        frameRate.reset()
        audio?.setPaused(rate == 0)
        observers.rateChanged(itemTime: renderer.itemTime(at: now))
    }

    private func beginNextPass() {
        guard let pipeline else { return }
        renderer.beginNextPass(pipeline)
        observers.jumped(itemTime: 0)
        if replacement != nil { renew() }
    }

    // MARK: Items

    private func open(_ id: ItemID) {
        guard let item = items[id]?.make() else { return }
        start = EpochStart(of: item, epoch: state.epoch)
        late = LateLanding(of: item)
        renderer.begin(start.epoch, at: driver.clock.now, itemTime: start.firstWanted)
        renderer.endTime = item.forwardEnd?.nanoseconds
        renderer.reverseEnd = item.reverseEnd.nanoseconds ?? 0
        renderer.isReverse = false
        pendingSteps = 0
        monitor = BufferMonitor()
        reading.begin()
        hasFrames = false
        landingEpoch = nil
        dropReplacement()
        renewsWhenLanded = false
        openedAt = driver.clock.now
        counters.startupTime = nil
        setCancellable(startOpening(id, item, at: start))
        openTexts(id, item.texts)
    }

    /// Opens on lanes of the item's own; `opened` gets what came of it.
    func startOpening(_ id: ItemID, _ item: MediaItem, at start: EpochStart) -> any Demuxer {
        let demuxer = item.makeDemuxer()
        let loading = driver.makeLane(.loading, label: "\(id).load")
        let decoding = driver.makeLane(.decoding, label: "\(id).decode")
        let opening = Opening(
            id: id,
            item: item,
            demuxer: demuxer,
            start: start,
            loading: loading,
            decoding: decoding,
            faulted: { [weak self] error in self?.perform { $0.fault(error, of: id) } },
            report: { [weak self] report in self?.take(report, from: id) }
        )
        loading.enqueue { [weak self] in
            let result = opening.run()
            // Nobody waits for it any more: its stages must still let go of each other.
            let giveUp: @Sendable () -> Void = {
                demuxer.cancel()
                if case .success(let late) = result { late.cancel() }
            }
            guard let self else { return giveUp() }
            control.enqueue { [weak self] in
                guard let self, !isDown, awaits(start.epoch) else { return giveUp() }
                opened(id, result, item, start.epoch)
            }
        }
        return demuxer
    }

    /// Whether what belongs to `epoch` is still wanted.
    func awaits(_ epoch: Epoch) -> Bool {
        [start.epoch, prepared?.start.epoch, replacement?.start.epoch].contains(epoch) && state.item != nil
    }

    private func opened(
        _ id: ItemID,
        _ result: Result<ItemPipeline, MediaError>,
        _ item: MediaItem,
        _ epoch: Epoch
    ) {
        if prepared?.start.epoch == epoch { return preparedOpened(id, result, item) }
        if replacement?.start.epoch == epoch { return replacementOpened(result, item) }
        switch result {
        case .failure(let error): handle(.failed(id, error))
        case .success(let pipeline):
            self.pipeline = pipeline
            monitor = BufferMonitor(rules: pipeline.rules)
            pipeline.setLooping(state.repeatSetting == .loop)
            setUp(pipeline, of: id, item)
            let description = pipeline.description
            if pipeline.audio != nil { audio?.prepare() }
            if pipeline.canPlayReverse { carryOut(state.handle(.reversible(id))) }
            handle(.opened(id, duration: description.duration, isSeekable: description.isSeekable))
            pipeline.wake()
            chooseVariants()
        }
    }

    /// `item` as it was when opening began; how far to read ahead may have been changed since.
    func setUp(_ pipeline: ItemPipeline, of id: ItemID, _ item: MediaItem) {
        pipeline.setEndTime(item.forwardEnd)
        pipeline.setReverseEnd(item.reverseEnd)
        pipeline.setForward((items[id]?.make() ?? item).forward)
    }

    func describe(_ id: ItemID) {
        setPresentationSize(pipeline?.video?.track.presentationSize ?? .zero, of: id)
        report(.tracksChanged(id))
    }

    private func close(_ id: ItemID) {
        items[id] = nil
        closePipeline()
        closeTexts()
        setCancellable(nil)
        stopShowing(id)
    }

    /// What is on its way to the outputs is not shown any more.
    func stopShowing(_ id: ItemID) {
        for layer in layers { layer.flush() }
        audio?.flush()
        presentationSize = .zero
        lastFrame = nil
        if isReadyForDisplay {
            isReadyForDisplay = false
            report(.readyForDisplayChanged(id, false))
        }
    }

    func closePipeline() {
        if let pipeline { reading.bytesOfOthers += pipeline.progress.bytes }
        pipeline?.cancel()
        pipeline?.releaseOnItsLane()
        pipeline = nil
    }

    func setPresentationSize(_ size: PixelSize, of id: ItemID) {
        guard size != presentationSize else { return }
        presentationSize = size
        report(.presentationSizeChanged(id, size))
    }

    // MARK: Seeks

    private func seek(_ epoch: Epoch, _ request: SeekRequest) {
        counters.seeks += 1
        let duration = state.item?.duration ?? .indefinite
        late = LateLanding(target: request.target)
        // Decoding starts at the key frame before; where the window lets it, what lies between is not wanted.
        let isExact = request.toleranceBefore.isNumeric
        var wanted = isExact ? max(.zero, request.target - request.toleranceBefore) : nil
        // Backward every seek is exact: what lies before the target is decoded anyway.
        if state.isReverse { wanted = request.target }
        begin(
            EpochStart(
                epoch: epoch,
                firstWanted: wanted,
                demuxTarget: duration.isNumeric ? min(request.target, duration) : request.target,
                isLastAttempt: state.isReverse || !isExact || request.target <= .zero,
                isReverse: state.isReverse
            )
        )
        observers.jumped(itemTime: state.item?.seekTarget?.nanoseconds ?? 0)
    }

    func begin(_ start: EpochStart, keepsPicture: Bool = false) {
        self.start = start
        postponeRenewal()
        turnedAt = nil
        pendingSteps = 0
        renderer.begin(start.epoch, at: driver.clock.now)
        renderer.isReverse = start.isReverse
        if !keepsPicture { for layer in layers { layer.flush() } }
        audio?.flush()
        // A file has what it is asked for; what comes over a network must come first.
        if let pipeline, !pipeline.description.isLocal, !start.isReverse,
            !pipeline.holds(start.demuxTarget ?? .zero)
        {
            monitor.startAnew()
        }
        pipeline?.begin(start)
    }

    /// From where the timeline stands the other way; the picture being shown stays.
    private func turn(_ epoch: Epoch, isReverse: Bool) {
        let now = MediaTime(
            value: max(0, renderer.itemTime(at: driver.clock.now)),
            timescale: 1_000_000_000
        )
        let end = pipeline.flatMap { renderer.isReverse ? nil : renderer.passEnd($0)?.itemTime }
        let time = min(now, end.map { Self.itemTime($0) } ?? now)
        late = LateLanding(target: time)
        begin(
            EpochStart(
                epoch: epoch,
                firstWanted: time,
                demuxTarget: time,
                isLastAttempt: isReverse || time <= .zero,
                isReverse: isReverse
            ),
            keepsPicture: true
        )
        turnedAt = epoch
    }

    /// The container's index put us behind the target: try earlier, then earlier still, then the start.
    func landedLate(_ epoch: Epoch) {
        if prepared?.start.epoch == epoch, prepareEarlier() { return }
        for ahead in [prepared, replacement] where ahead?.start.epoch == epoch {
            ahead?.pipeline?.acceptLateLanding()
            return
        }
        guard epoch == start.epoch, let earlier = late.next() else { return }
        state.renewEpoch()
        begin(start.earlier(earlier, state.epoch))
    }

    func fault(_ error: MediaError, of id: ItemID) {
        guard state.item?.id == id || prepared?.id == id else { return }
        if prepared?.id == id { faultsAhead += 1 } else { counters.faults += 1 }
        report(.fault(id, error))
    }
}

/// Where to look next when a seek landed behind its target: 1, 3 and 10 seconds before it, then the start.
struct LateLanding {
    private var target: MediaTime = .zero
    private var steps: [Int64] = []

    init() {}

    init(target: MediaTime) {
        self.target = target
        steps = [1, 3, 10]
    }

    init(of item: MediaItem) {
        self.init()
        if let start = item.start { self = LateLanding(target: start) }
    }

    mutating func next() -> MediaTime? {
        guard target > .zero else { return nil }
        guard !steps.isEmpty else {
            target = .zero
            return .zero
        }
        let earlier = target - MediaTime(value: steps.removeFirst(), timescale: 1)
        if earlier <= .zero {
            steps = []
            target = .zero
            return .zero
        }
        return earlier
    }
}
