import MediaCore
import PlayheadBackend
import Synchronization

/// Updates. An update inspects the queues, delivers to the outputs what is due, and schedules the next update.
extension PlaybackLoop {
    /// Performs an update. An update that is requested within an update follows it, so that events that cause each
    /// other do not nest.
    func update() {
        guard !shared.isReleased, !shared.isEnding else { return }
        guard phase == .idle else {
            if phase == .updating { phase = .mustUpdateAgain }
            return
        }
        for _ in 0..<Self.maximumConsecutiveUpdates {
            phase = .updating
            // Events that arrive while the queues are inspected must not be lost.
            shared.setAwaited(.everything)
            updateOnce()
            checkForStuckPlayback()
            let isDone = phase == .updating
            if phase != .tornDown { phase = .idle }
            if isDone || shared.isReleased || shared.isEnding { return }
        }
        // Other work on the lane runs before the updates continue.
        scheduleUpdate()
    }

    private static let maximumConsecutiveUpdates = 8

    /// Requests another update after the current one, whose data has just changed.
    func updateAgain() { if phase == .updating { phase = .mustUpdateAgain } }

    private func updateOnce() {
        updateNext()
        updateInterstitial()
        guard let pipeline = current?.pipeline, state.item?.status == .readyToPlay else { return publish() }
        updateReading(pipeline)
        pipeline.setDecodesAhead(state.decodesAhead)
        guard let hasPresented = current?.epoch.hasPresented else { return updateAgain() }
        if !hasPresented {
            guard let item = current, presentFirstFrame(item, pipeline) else { return updateAgain() }
        }
        let now = now
        performSteps(pipeline, at: now)
        adapt(pipeline, at: now)
        updateFailures(at: now)
        updateViewers(pipeline, at: now)
        let switchTime = updateSwitch(at: now)
        guard let pipeline = current?.pipeline, let epoch = current?.start.epoch else { return updateAgain() }
        let readingTime = audio.update(&presentation.timeline, isAudible: isAudible, at: now)
        if let device = audio.device { publisher.counters.audioUnderruns = device.underruns }
        var outcome = presentation.dequeueDue(pipeline, at: now)
        if let next, next.isReady, let following = next.pipeline, state.followsSeamlessly {
            presentation.prefetchAudio(pipeline, into: following, next.start, at: now, &outcome)
        }
        for time in [switchTime, readingTime, updateCues(at: now)] {
            if let time { outcome.wake(at: time) }
        }
        deliver(outcome, pipeline, at: now)
        layers.showSubtitles(isPlaying: presentation.timeline.isRunning)
        updateFrameSkipping(pipeline, outcome, at: now)
        // Only playback passes a time; a seek to that time does not.
        if presentation.timeline.isRunning { observers.fire(upTo: presentation.itemTime(at: now)) }
        reportReading(pipeline)
        handleUnderrun(&outcome, epoch, pipeline, at: now)
        publish()
        scheduleNextUpdate(outcome.wakeAt)
        shared.setAwaited(events(toAwaitFor: pipeline))
        if let end = outcome.end { passEnded(end, pipeline, epoch) }
    }

    /// Marks the next item as ready once its first frames are decoded. An item without frames fails instead.
    private func updateNext() {
        guard let item = next, let pipeline = item.pipeline, next?.updateReadiness() == true else { return }
        if hasNoFrames(item, pipeline) {
            return execute(state.handle(.preparedFailed(item.id, missingFramesError(item, pipeline))))
        }
        execute(state.handle(.preparedReady(item.id)))
    }

    /// Handles the progress of reading: the end of the data, the duration and the buffer level.
    private func updateReading(_ pipeline: ItemPipeline) {
        guard let epoch = current?.start.epoch else { return }
        if pipeline.hasEndedReading(epoch), state.item?.isReadToEnd == false {
            execute(state.handle(.readToEnd(epoch)))
        }
        updateDuration(pipeline)
        // The level is stable until then. The conditions are separate so that nothing is copied.
        if let until = current?.buffer.stableUntil, now < until, current?.buffer.level == state.item?.level {
            return
        }
        guard let item = current else { return }
        if let level = current?.buffer.update(pipeline, bufferSituation(item)), level != state.item?.level {
            execute(state.handle(.buffer(item.id, level)))
        }
    }

    /// Returns the situation from which the buffer is measured. Before the first frame is presented, its expected
    /// time is used.
    private func bufferSituation(_ item: OpenItem) -> BufferMonitor.Situation {
        let now = now
        return BufferMonitor.Situation(
            epoch: item.start.epoch,
            itemTime: state.item?.hasFirstFrame == true ? presentation.itemTime(at: now) : item.expectedStart,
            end: item.ends.forward,
            pass: presentation.pass,
            rate: state.rate == 0 ? 1 : abs(state.rate),
            isPlaying: state.timelineRate > 0 && !waitsInCalls,
            host: now
        )
    }

    // MARK: The end of a pass, and underruns

    private func passEnded(_ end: PresentationScheduler.PassEnd, _ pipeline: ItemPipeline, _ epoch: Epoch) {
        let time = end.itemTime.mediaTime
        // Packets of some elementary streams have no times, so only the frames show the duration. Those before an end
        // that was set do not, also if the last one ends before that.
        if end.error == nil, !presentation.isReverse, !pipeline.withProgress(\.endedEarly),
            presentation.ends.forward.map({ end.itemTime < $0 }) ?? true
        {
            updateDuration(pipeline, framesEnd: time)
        }
        apply(.reachedEnd(epoch, at: time, end.error))
        // Prefetched audio is heard only if the expected media follow.
        if presentation.endWasReported {
            discardPrefetchedAudio()
        } else if presentation.audioIsVoid {
            audio.output?.discardUnplayed()
        } else if presentation.audioIsMisplaced {
            movePrefetchedAudio()
        }
        // The next item may not have arrived.
        if !presentation.timeline.isRunning { audio.output?.endAudio() }
        updateAgain()
    }

    /// Takes back audio from after a seam that will not be reached.
    func discardPrefetchedAudio() {
        guard presentation.audioPrefetch != nil else { return }
        audio.output?.discardUnplayed()
        returnPrefetchedAudio()
    }

    /// Moves prefetched audio to the start of its pass, which is not where it was expected.
    private func movePrefetchedAudio() {
        guard let output = audio.output else { return }
        output.move(
            presentation.current.epoch,
            pass: presentation.pass,
            to: presentation.origin,
            at: output.rewritePosition(on: presentation.timeline, at: now)
        )
    }

    /// Takes back audio of the next item, which will not follow. The current item is heard to its end.
    func withdrawAudioOfNext(_ prefetch: AudioPrefetch) {
        if let output = audio.output {
            output.withdraw(
                prefetch.epoch,
                from: prefetch.origin.timelineTime(of: prefetch.first),
                at: output.rewritePosition(on: presentation.timeline, at: now)
            )
            // Processing would hold the end of this pass until other audio follows.
            if presentation.current.pass.audioEndWasReported { output.endAudio() }
        }
        presentation.audioPrefetch = nil
    }

    /// Returns prefetched audio of the next item to its queue, because the seam is not reached and the item may begin
    /// later. The caller discards what the output holds of it.
    func returnPrefetchedAudio() {
        guard let prefetch = presentation.audioPrefetch, prefetch.mark == nil else { return }
        next?.pipeline?.audio?.restore(prefetch.buffers, epoch: prefetch.epoch)
        presentation.audioPrefetch = nil
    }

    /// Handles a track without data. If reading is suspended because another track has filled the limits, this is not
    /// a stall: playback frees the space. Reading may be about to continue as well, so the check is repeated after a
    /// delay.
    private func handleUnderrun(
        _ outcome: inout PresentationScheduler.DueOutput,
        _ epoch: Epoch,
        _ pipeline: ItemPipeline,
        at now: HostTime
    ) {
        guard outcome.hasUnderrun, outcome.end == nil, !pipeline.hasEndedReading(epoch) else { return }
        guard !pipeline.isFull(epoch) else {
            outcome.wake(at: now.advanced(by: Self.underrunRecheckInterval))
            return
        }
        current?.buffer.beginStall()
        apply(.underrun(epoch))
        updateAgain()
    }

    /// The delay before an underrun is checked again: 20 ms, about one frame.
    private static let underrunRecheckInterval: Int64 = 20_000_000

    // MARK: Delivery

    private func deliver(
        _ outcome: PresentationScheduler.DueOutput,
        _ pipeline: ItemPipeline,
        at now: HostTime
    ) {
        publisher.counters.framesDecoded += outcome.dequeuedFrames - outcome.undecodedFrames
        publisher.counters.framesDropped += outcome.dropped
        for shown in outcome.frames {
            publisher.frameRate.note(now)
            show(shown.frame, due: shown.due, at: now, isEssential: false, done: nil)
        }
        if !outcome.audio.isEmpty { deliverAudio(outcome.audio, pipeline, at: now) }
        // Before the audio of the next item, which follows the silence.
        if outcome.silenceFollows { audio.output?.endAudio() }
        if !outcome.audioOfNext.isEmpty, let next = next?.pipeline {
            deliverAudio(outcome.audioOfNext, next, at: now)
        }
        if !outcome.silenceFollows, outcome.audioEnded, !moreAudioFollows { audio.output?.endAudio() }
        if audio.device != nil { audio.noteEnd(presentation.audioHasEnded(pipeline)) }
    }

    /// Whether other audio may follow that of the pass without a gap, so that audio processing continues.
    private var moreAudioFollows: Bool {
        if state.loopsItem || replacement != nil { return true }
        // The item that an interstitial has interrupted continues in its middle, and may have no audio.
        guard suspended == nil, let next else { return false }
        // An item that is not ready may be late, and the end of this pass cannot wait for it.
        return next.isReady && writesAudio(of: next.pipeline)
    }

    private func deliverAudio(
        _ buffers: [PresentationScheduler.ScheduledAudio],
        _ pipeline: ItemPipeline,
        at now: HostTime
    ) {
        guard writesAudio(of: pipeline) else { return }
        let timeline = presentation.timeline
        let origin = AudioOrigin(
            rate: timeline.rate.factor,
            track: pipeline.audio?.track.id,
            settings: pipeline.audioSettings
        )
        let pieces = buffers.map { scheduled in
            publisher.counters.audioSamples += scheduled.buffer.frameCount
            let time = ItemTime(scheduled.buffer.presentationTime) ?? .zero
            let placement = AudioPlacement(
                origin: scheduled.origin,
                time: time,
                due: timeline.host(for: scheduled.origin.timelineTime(of: time)) ?? now,
                rate: timeline.rate,
                epoch: timeline.epoch
            )
            return (buffer: scheduled.buffer, placement: placement)
        }
        audio.output?.write(pieces, origin)
    }

    /// Presents a frame on the layers. `done` is called after their sinks have received it, and at once for a frame
    /// without pixels.
    func show(
        _ frame: VideoFrame,
        due: HostTime,
        at now: HostTime,
        isEssential: Bool,
        done: (@Sendable () -> Void)?
    ) {
        publisher.countPresented(late: max(0, now.nanoseconds(since: due)))
        guard !frame.isUndecoded else {
            layers.forgetFrame()
            done?()
            return
        }
        if let id = current?.id {
            setPresentationSize(frame.format.presentationSize, of: id)
            let isRendered = frameTap.receive(id, frame.withoutContext)
            suppressRendering(of: id, !isRendered)
        }
        layers.present(frame, of: current?.id, isEssential: isEssential, done: done ?? displayCallback())
    }

    /// Returns a callback that reports readiness for display, for a first frame that follows neither a seek nor a
    /// load: the frame of a track that was enabled later, or that begins late. Returns nil if the layers display
    /// frames already.
    func displayCallback() -> (@Sendable () -> Void)? {
        guard let id = current?.id, layers.beginDisplay() else { return nil }
        return { [weak self] in
            self?.perform { loop in
                guard loop.current?.id == id, loop.current?.pipeline?.video != nil,
                    loop.layers.markReadyForDisplay()
                else { return }
                loop.report(.readyForDisplayChanged(id, true))
            }
        }
    }

    /// Skips frames if decoding is too slow.
    private func updateFrameSkipping(
        _ pipeline: ItemPipeline,
        _ outcome: PresentationScheduler.DueOutput,
        at now: HostTime
    ) {
        guard driver.isRealTime, let video = pipeline.video else { return }
        let skipped = video.stage.skipped.exchange(0, ordering: .relaxed)
        publisher.counters.framesDropped += skipped
        let request = skipPolicy.follow(
            video,
            outcome,
            &presentation,
            rate: state.timelineRate,
            skipped: skipped,
            seamFollows: state.loopsItem || state.followsSeamlessly || suspended != nil,
            at: now
        )
        if let request {
            video.stage.skipRequest.withLock { $0 = request }
            pipeline.setUsesExtendedLimits(skipPolicy.needsExtendedReading)
        }
        guard let id = current?.id, let change = skipPolicy.takePendingChange() else { return }
        switch change {
        case .fellBehind: report(.decodingFellBehind(id))
        case .keepsUp(let skipped): report(.decodingKeepsUp(id, skipped: skipped))
        }
    }

    // MARK: When to update next

    /// Returns the stage events that require an update. While frames are queued, another one requires none.
    private func events(toAwaitFor pipeline: ItemPipeline) -> StageEvents {
        guard let level = state.item?.level, state.item?.hasFirstFrame == true, level.isFull,
            level.isLikelyToKeepUp, current?.epoch.steps.pending == 0, next?.isReady != false,
            replacement?.isReady != false, pendingInterstitial == nil
        else { return .everything }
        let lacksFrames = pipeline.trackPipelines.contains { track in
            switch track.frames.elementInfo() {
            case .video?, .audio?: false
            // Media after the end of the pass may be needed before the end.
            case .endOfPass?, nil: true
            }
        }
        var events: StageEvents = []
        if lacksFrames || skipPolicy.measuresLoad { events.insert(.frames) }
        // While the timeline is stopped, no other event shows how far reading has come.
        if !presentation.timeline.isRunning { events.insert(.bounds) }
        return events
    }

    private func scheduleNextUpdate(_ time: HostTime?) {
        var time = time
        if let observed = observers.nextTime(isReverse: state.isReverse),
            let host = presentation.hostTime(forItemTime: observed)
        {
            time = min(time ?? host, host)
        }
        timers.scheduleUpdate(time, driver, on: control) { [weak self] in
            guard let self else { return }
            timers.updateFired()
            update()
        }
    }

    /// Receives the report of a stage. Called on the stage's lane.
    func receive(_ report: StageReport, of id: ItemID, newestFault: Locked<MediaError?>) {
        switch report {
        case .delivered: if shared.isAwaiting(.frames) { scheduleUpdate() }
        case .idle: if shared.isAwaiting(.bounds) { scheduleUpdate() }
        case .changed: scheduleUpdate()
        case .fault(let error):
            // The fault is stored at once, because an update that is already enqueued may find the item without a
            // frame.
            newestFault.withLock { $0 = error }
            perform { loop in
                loop.fault(error, of: id)
                loop.avoidTrack(of: error, in: newestFault)
            }
        case .preview(let frame): perform { $0.showPreview(frame) }
        case .startedLate(let epoch): perform { $0.startedLate(epoch) }
        case .waiting(let epoch): perform { $0.readingStartedWaiting(epoch) }
        }
    }

    /// Handles the start of a wait for bytes.
    private func readingStartedWaiting(_ epoch: Epoch) {
        // Nothing is available at the target of the seek. During playback, only an underrun empties the buffer.
        if epoch == current?.start.epoch, let item = state.item, item.status == .readyToPlay,
            !item.hasFirstFrame, current?.epoch.hasPresented == false
        {
            current?.buffer.restart()
        }
        supersedeWaitingSeek()
        update()
    }

    /// Replaces a seek that waits for bytes by the newest one, because it may wait indefinitely.
    func supersedeWaitingSeek() {
        guard state.item?.seekWaiting != nil, let item = current,
            item.pipeline?.isWaiting(item.start.epoch) == true
        else { return }
        apply(.seekWaitsForData(item.start.epoch))
    }
}
