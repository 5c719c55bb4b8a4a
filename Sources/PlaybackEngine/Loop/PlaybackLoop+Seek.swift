import MediaCore

/// Seeks, changes of direction and steps, and the first frame after each of them.
extension PlaybackLoop {
    func seek(_ epoch: Epoch, _ request: SeekRequest) {
        publisher.counters.seeks += 1
        // Decoding starts at the preceding key frame. With an infinite tolerance the frames in between are not
        // needed.
        let isExact = request.toleranceBefore.isNumeric
        var firstWanted = isExact ? max(.zero, request.target - request.toleranceBefore) : nil
        // Backward every seek is exact, because the frames before the target are decoded anyway.
        if state.isReverse { firstWanted = request.target }
        let start = EpochStart(
            epoch: epoch,
            firstWanted: firstWanted,
            demuxTarget: demuxTarget(for: request.target),
            isLastAttempt: state.isReverse || !isExact || request.target <= .zero,
            isReverse: state.isReverse,
            isScrubbing: state.isScrubbing,
            previewDistance: state.isScrubbing && !state.isReverse
                ? firstWanted.map(distanceToShownFrame) : nil
        )
        begin(ItemEpoch(start: start, retry: SeekRetry(target: request.target)))
        observers.jumped(itemTime: ItemTime(state.item?.seekTarget) ?? .zero)
    }

    /// Returns the time at which reading begins for a seek to `target`. Nothing is delivered from the end of the data,
    /// or from a requested end, on.
    private func demuxTarget(for target: MediaTime) -> MediaTime {
        var result = target
        if let duration = state.item?.duration, duration.isNumeric { result = min(result, duration) }
        if !state.isReverse, let end = presentation.ends.forward, end > .zero {
            result = min(result, (end - 1).mediaTime)
        }
        return result
    }

    private func begin(_ epoch: ItemEpoch) {
        returnPrefetchedAudio()
        // Where the position stays, it is also that of the timeline until the first frame is presented. That of a seek
        // is its target.
        presentation.begin(
            epoch.start.epoch,
            at: now,
            itemTime: epoch.keepsPosition ? epoch.start.firstWanted : nil
        )
        presentation.isReverse = epoch.start.isReverse
        if !epoch.keepsPosition { layers.flush() }
        audio.output?.flush()
        current?.begin(epoch)
    }

    /// Delivers in the other direction from the timeline's current time. The frame that is shown stays.
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
        changed.keepsPosition = true
        begin(changed)
    }

    /// Delivers with audio from the timeline's current time. The frame that is shown stays.
    func resumeAudio(_ epoch: Epoch) {
        let target = max(.zero, presentation.itemTime(at: now)).mediaTime
        let start = EpochStart(
            epoch: epoch,
            firstWanted: target,
            demuxTarget: demuxTarget(for: target),
            isLastAttempt: target <= .zero
        )
        var resumed = ItemEpoch(start: start, retry: SeekRetry(target: target))
        resumed.keepsPosition = true
        begin(resumed)
    }

    private func distanceToShownFrame(_ time: MediaTime) -> MediaTime {
        shownFrame.map { time.distance(to: $0) } ?? .positiveInfinity
    }

    /// Shows a frame near the target of a seek, before the frame at the target is found. If the frame that is shown
    /// already is nearer, it stays, and the seek continues as if there were no other frame.
    func showPreview(_ frame: VideoFrame) {
        guard let item = current, frame.epoch == item.start.epoch, !item.epoch.hasPresented,
            let target = state.item?.seekInFlight?.target
        else { return }
        if let shownFrame, target.distance(to: shownFrame) <= target.distance(to: frame) { return }
        publisher.counters.framesDecoded += 1
        let (epoch, now) = (frame.epoch, now)
        if let time = ItemTime(frame.presentationTime) { drawSubtitles(at: time) }
        show(frame, due: now, at: now, isEssential: true) { [weak self] in
            self?.perform { $0.handle(.previewPresented(epoch)) }
        }
    }

    /// The frame of the current item that is shown.
    private var shownFrame: VideoFrame? { layers.lastItem == current?.id ? layers.lastFrame : nil }

    /// Handles the report that the container's index pointed after the target. The first frames of the current and
    /// the next item are searched for again from an earlier position, and from the start last.
    func startedLate(_ epoch: Epoch) {
        let searched = next?.isReady == false ? [current, next] : [current]
        let item = searched.compactMap(\.self).first { $0.start.epoch == epoch }
        if item?.epoch.retry.isExhausted == false { return apply(.startedLate(epoch)) }
        for item in [next, replacement, pendingInterstitial] where item?.start.epoch == epoch {
            item?.pipeline?.acceptLateStart()
        }
    }

    func searchEarlier(than old: Epoch, _ epoch: Epoch) {
        if next?.start.epoch == old, let earlier = next?.epoch.earlier(in: epoch) {
            next?.epoch = earlier
            next?.pipeline?.begin(earlier.start)
        } else if let earlier = current?.epoch.earlier(in: epoch) {
            begin(earlier)
        }
    }

    // MARK: The first frame

    /// Presents the first frame of the epoch. The seek, or the load, completes when the sinks have received it.
    ///
    /// - Returns: False if the item has failed.
    func presentFirstFrame(_ item: OpenItem, _ pipeline: ItemPipeline) -> Bool {
        guard !item.epoch.hasPresented else { return true }
        let now = now
        guard let first = presentation.findFirstFrame(pipeline, start: item.start, at: now) else {
            return true
        }
        if first.frame == nil, presentation.passEnd(pipeline) != nil, !item.hasFrames,
            hasNoFrames(item, pipeline)
        {
            current?.epoch.hasPresented = true
            apply(.failed(item.id, missingFramesError(item, pipeline)))
            return false
        }
        current?.epoch.hasPresented = true
        // The preview of a seek may be the frame at its target.
        let wasShown =
            (item.epoch.keepsPosition || state.item?.hasPreview == true)
            && layers.lastFrame?.presentationTime == first.frame?.presentationTime
        let epoch = item.start.epoch
        let time = first.itemTime.mediaTime
        let hasVideo = first.frame != nil
        let presented: @Sendable () -> Void = { [weak self] in
            self?.perform { $0.firstFramePresented(epoch, at: time, hasVideo: hasVideo) }
        }
        guard let frame = first.frame, !wasShown else {
            current?.hasFrames = true
            presented()
            return true
        }
        current?.hasFrames = true
        publisher.counters.framesDecoded += frame.isUndecoded ? 0 : 1
        drawSubtitles(at: first.itemTime)
        show(frame, due: now, at: now, isEssential: true, done: presented)
        return true
    }

    func firstFramePresented(_ epoch: Epoch, at time: MediaTime, hasVideo: Bool) {
        guard let item = current, epoch == item.start.epoch, state.item != nil else { return }
        if publisher.counters.startupTime == nil {
            publisher.counters.startupTime = now - item.openedAt
        }
        if hasVideo, layers.markReadyForDisplay() { report(.readyForDisplayChanged(item.id, true)) }
        // An item may begin later than at zero, and a presentation says so when it is open.
        let isLaterStart = item.expectedStart > .zero && !item.epoch.keepsPosition
        if state.item?.seekInFlight != nil || isLaterStart {
            observers.moved(itemTime: ItemTime(time) ?? .zero)
        }
        handle(.firstFramePresented(epoch, at: time))
        if state.itemSwitch.phase == .pending { requestSwitch() }
    }

    /// Returns whether the data ended without a frame in any track, unless an end that was set before the first frame
    /// is the cause.
    func hasNoFrames(_ item: OpenItem, _ pipeline: ItemPipeline) -> Bool {
        let isCut = item.ends.forward != nil && pipeline.withProgress(\.endedEarly)
        if isCut, item.newestFault.withLock({ $0 }) == nil { return false }
        return pipeline.trackPipelines.allSatisfy { track in
            if case .endOfPass(_, nil, _)? = track.frames.peek() { return true }
            return false
        }
    }

    /// Returns the error of an item without frames.
    func missingFramesError(_ item: OpenItem, _ pipeline: ItemPipeline) -> MediaError {
        for track in pipeline.trackPipelines {
            if case .endOfPass(_, _, let error?)? = track.frames.peek() { return error }
        }
        return ItemPipeline.missingFramesError(item.newestFault.withLock { $0 })
    }

    // MARK: Steps

    func step(_ count: Int) { current?.epoch.steps = Steps(pending: count) }

    /// Steps over the frames that are available. The last one is shown, and the timeline stops there.
    func performSteps(_ pipeline: ItemPipeline, at now: HostTime) {
        guard let item = state.item, item.isStepping, item.hasFirstFrame, !item.awaitsFrames,
            var steps = current?.epoch.steps, let epoch = current?.start.epoch
        else { return }
        let (frames, isAtEnd) = presentation.step(pipeline, atMost: steps.pending)
        publisher.counters.framesDecoded += frames.count { !$0.isUndecoded }
        steps.delivered += frames.count
        steps.last = frames.last ?? steps.last
        steps.pending = isAtEnd ? 0 : steps.pending - frames.count
        current?.epoch.steps = steps.pending == 0 ? Steps() : steps
        guard steps.pending == 0 else { return }
        if let last = steps.last {
            presentation.moveTimeline(to: last, at: now)
            audio.output?.move(to: presentation.timeline.media(at: now))
            observers.jumped(itemTime: presentation.itemTime(at: now))
            drawSubtitles(at: presentation.itemTime(at: now))
            show(last, due: now, at: now, isEssential: true, done: nil)
        }
        apply(.stepped(epoch, hasMoved: steps.last != nil))
    }
}
