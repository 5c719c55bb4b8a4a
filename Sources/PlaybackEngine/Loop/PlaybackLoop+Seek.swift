import MediaCore

/// Seeks, changes of direction, steps, and the first frame behind each of them.
extension PlaybackLoop {
    func seek(_ epoch: Epoch, _ request: SeekRequest) {
        publisher.counters.seeks += 1
        let duration = state.item?.duration ?? .indefinite
        // Decoding starts at the key frame before. Where the window lets it, what lies between is not wanted.
        let isExact = request.toleranceBefore.isNumeric
        var wanted = isExact ? max(.zero, request.target - request.toleranceBefore) : nil
        // Backward every seek is exact: what lies before the target is decoded anyway.
        if state.isReverse { wanted = request.target }
        let start = EpochStart(
            epoch: epoch,
            firstWanted: wanted,
            demuxTarget: duration.isNumeric ? min(request.target, duration) : request.target,
            isLastAttempt: state.isReverse || !isExact || request.target <= .zero,
            isReverse: state.isReverse
        )
        begin(ItemEpoch(start: start, retry: SeekRetry(target: request.target)))
        observers.jumped(itemTime: ItemTime(state.item?.seekTarget) ?? .zero)
    }

    private func begin(_ epoch: ItemEpoch) {
        postponeReload()
        takeEnds()
        presentation.begin(epoch.start.epoch, at: now)
        presentation.isReverse = epoch.start.isReverse
        if !epoch.changesDirection { layers.flush() }
        audio.output?.flush()
        current?.begin(epoch)
    }

    /// From where the timeline stands the other way. The frame being shown stays.
    func setDirection(isReverse: Bool, _ epoch: Epoch) {
        var time = max(.zero, presentation.itemTime(at: now))
        if !presentation.isReverse,
            let end = current?.pipeline.flatMap({ presentation.passEnd($0)?.itemTime })
        {
            time = min(time, end)
        }
        let target = time.mediaTime
        let start = EpochStart(
            epoch: epoch,
            firstWanted: target,
            demuxTarget: target,
            isLastAttempt: isReverse || target <= .zero,
            isReverse: isReverse
        )
        var changed = ItemEpoch(start: start, retry: SeekRetry(target: target))
        changed.changesDirection = true
        begin(changed)
    }

    /// The container's index led behind the target: earlier places are tried, the start last.
    func startedLate(_ epoch: Epoch) {
        if next?.start.epoch == epoch, retryNext() { return }
        for item in [next, reopening.item] where item?.start.epoch == epoch {
            item?.pipeline?.acceptLateStart()
            return
        }
        guard let current, epoch == current.start.epoch,
            let earlier = current.epoch.earlier({
                state.replaceEpoch()
                return state.epoch
            })
        else { return }
        begin(earlier)
    }

    // MARK: The first frame

    /// The first frame goes to the sinks. When they have had it, the seek (or the load) is complete.
    /// False: the item has failed.
    func presentFirstFrame(_ item: OpenItem, _ pipeline: ItemPipeline) -> Bool {
        guard !item.epoch.hasPresented else { return true }
        let now = now
        guard let landing = presentation.findFirstFrame(pipeline, start: item.start, at: now) else {
            return true
        }
        if landing.frame == nil, presentation.passEnd(pipeline) != nil, !item.hasFrames,
            isWithoutFrames(item, pipeline)
        {
            current?.epoch.hasPresented = true
            apply(.failed(item.id, emptiness(item, pipeline)))
            return false
        }
        current?.epoch.hasPresented = true
        let wasShown =
            item.epoch.changesDirection
            && layers.lastFrame?.presentationTime == landing.frame?.presentationTime
        let epoch = item.start.epoch
        let time = landing.itemTime.mediaTime
        let hasVideo = landing.frame != nil
        let presented: @Sendable () -> Void = { [weak self] in
            self?.perform { $0.firstFramePresented(epoch, at: time, hasVideo: hasVideo) }
        }
        guard let frame = landing.frame, !wasShown else {
            if landing.frame == nil { current?.hasFrames = true }
            presented()
            return true
        }
        current?.hasFrames = true
        publisher.counters.framesDecoded += 1
        show(frame, due: now, at: now, isEssential: true, done: presented)
        return true
    }

    private func firstFramePresented(_ epoch: Epoch, at time: MediaTime, hasVideo: Bool) {
        guard let item = current, epoch == item.start.epoch, state.item != nil else { return }
        if publisher.counters.startupTime == nil {
            publisher.counters.startupTime = now.nanoseconds(since: item.openedAt)
        }
        if hasVideo, layers.becomesReadyForDisplay() { report(.readyForDisplayChanged(item.id, true)) }
        if state.item?.seekInFlight != nil { observers.moved(itemTime: ItemTime(time) ?? .zero) }
        handle(.firstFramePresented(epoch, at: time))
        if reopening.isWanted { reopen() }
    }

    /// The data ended without a single frame in any track, and not because an end was set before the first.
    private func isWithoutFrames(_ item: OpenItem, _ pipeline: ItemPipeline) -> Bool {
        let isCut = presentation.ends.forward != nil && pipeline.withProgress(\.wasCut)
        if isCut, item.newestFault.withLock({ $0 }) == nil { return false }
        return pipeline.trackPipelines.allSatisfy { branch in
            if case .endOfPass(_, nil, _)? = branch.frames.peek() { return true }
            return false
        }
    }

    /// Why an item without frames has none.
    private func emptiness(_ item: OpenItem, _ pipeline: ItemPipeline) -> MediaError {
        for branch in pipeline.trackPipelines {
            if case .endOfPass(_, _, let error?)? = branch.frames.peek() { return error }
        }
        guard let fault = item.newestFault.withLock({ $0 }) else {
            return MediaError(.noPlayableTracks, "it holds no complete picture and no sound")
        }
        return MediaError(
            .decodeFailed,
            "nothing in it could be decoded: \(fault.message)",
            track: fault.track,
            libraryLog: fault.libraryLog,
            underlyingCode: fault.underlyingCode
        )
    }

    // MARK: Steps

    func step(_ count: Int) { current?.epoch.steps = Steps(pending: count) }

    /// Takes what there is of the frames to be stepped over. The last one is shown, and time stands there.
    func takeSteps(_ pipeline: ItemPipeline, at now: HostTime) {
        guard let item = state.item, item.isStepping, item.hasFirstFrame, !item.awaitsFrames,
            var steps = current?.epoch.steps, let epoch = current?.start.epoch
        else { return }
        let (frames, isAtEnd) = presentation.step(pipeline, atMost: steps.pending)
        publisher.counters.framesDecoded += frames.count
        steps.taken += frames.count
        steps.last = frames.last ?? steps.last
        steps.pending = isAtEnd ? 0 : steps.pending - frames.count
        current?.epoch.steps = steps.pending == 0 ? Steps() : steps
        guard steps.pending == 0 else { return }
        if let last = steps.last {
            presentation.stand(at: last, at: now)
            audio.output?.restart()
            observers.jumped(itemTime: presentation.itemTime(at: now))
            show(last, due: now, at: now, isEssential: true, done: nil)
        }
        apply(.stepped(epoch, hasMoved: steps.last != nil))
    }
}
