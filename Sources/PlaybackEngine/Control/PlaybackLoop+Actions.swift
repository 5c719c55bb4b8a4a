public import MediaCore

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
            case .setTimelineRate(let rate): setTimelineRate(rate)
            case .setLooping(let isLooping): pipeline?.setLooping(isLooping)
            case .beginNextPass: beginNextPass()
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
    }

    private func setTimelineRate(_ rate: Float) {
        let now = driver.clock.now
        renderer.setRate(rate, at: now)
        audio?.setPaused(rate == 0)
        observers.rateChanged(itemTime: renderer.itemTime(at: now))
    }

    private func beginNextPass() {
        guard let pipeline else { return }
        renderer.beginNextPass(pipeline)
        observers.jumped(itemTime: 0)
    }

    // MARK: Items

    private func open(_ id: ItemID) {
        guard let item = items[id] else { return }
        let epoch = state.epoch
        start = EpochStart(epoch: epoch)
        renderer.begin(epoch, at: driver.clock.now)
        renderer.endTime = item.forwardEnd?.nanoseconds
        monitor = BufferMonitor()
        reading.begin()
        hasFrames = false
        landingEpoch = nil
        openedAt = driver.clock.now
        counters.startupTime = nil
        let demuxer = item.makeDemuxer()
        setCancellable(demuxer)
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
                guard let self, !isDown, state.item?.id == id else { return giveUp() }
                opened(id, result)
            }
        }
    }

    private func opened(_ id: ItemID, _ result: Result<ItemPipeline, MediaError>) {
        switch result {
        case .failure(let error): handle(.failed(id, error))
        case .success(let pipeline):
            self.pipeline = pipeline
            pipeline.setLooping(state.repeatSetting == .loop)
            pipeline.setEndTime(items[id]?.forwardEnd)
            setPresentationSize(pipeline.video?.track.presentationSize ?? .zero, of: id)
            report(.tracksChanged(id))
            let description = pipeline.description
            handle(.opened(id, duration: description.duration, isSeekable: description.isSeekable))
            pipeline.wake()
        }
    }

    private func close(_ id: ItemID) {
        items[id] = nil
        closePipeline()
        setCancellable(nil)
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
        late = LateLanding(target: request.target)
        // Decoding starts at the key frame before; where the window lets it, what lies between is not wanted.
        let isExact = request.toleranceBefore.isNumeric
        let wanted = isExact ? max(.zero, request.target - request.toleranceBefore) : nil
        begin(
            EpochStart(
                epoch: epoch,
                firstWanted: wanted,
                demuxTarget: request.target,
                isLastAttempt: !isExact || request.target <= .zero
            )
        )
        observers.jumped(itemTime: request.target.nanoseconds ?? 0)
    }

    func begin(_ start: EpochStart) {
        self.start = start
        renderer.begin(start.epoch, at: driver.clock.now)
        for layer in layers { layer.flush() }
        audio?.flush()
        pipeline?.begin(start)
    }

    /// The container's index put us behind the target: try earlier, then earlier still, then the start.
    func landedLate(_ epoch: Epoch) {
        guard epoch == start.epoch, let earlier = late.next() else { return }
        state.epoch = state.epoch.next
        var again = start
        again.epoch = state.epoch
        again.demuxTarget = earlier
        again.isLastAttempt = earlier <= .zero
        begin(again)
    }

    func fault(_ error: MediaError, of id: ItemID) {
        guard state.item?.id == id else { return }
        counters.faults += 1
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

extension Track {
    /// Size as a viewer sees it.
    public var presentationSize: PixelSize {
        VideoFormat(
            pixelFormat: PixelFormat(rawValue: sampleLayout),
            size: naturalSize,
            pixelAspectRatio: pixelAspectRatio,
            rotation: preferredRotation
        ).presentationSize
    }
}
