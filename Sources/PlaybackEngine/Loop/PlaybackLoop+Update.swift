import MediaCore
import PlayheadBackend
import Synchronization

/// An update looks at the queues: what is due goes to the outputs, and the next update is scheduled.
extension PlaybackLoop {
    /// An update inside an update follows it, so that events that lead to each other cannot pile up.
    func update() {
        guard !shared.isReleased, !shared.isEnding else { return }
        guard phase == .idle else {
            if phase == .updating { phase = .mustUpdateAgain }
            return
        }
        for _ in 0..<Self.mostUpdatesInARow {
            phase = .updating
            // What comes while the queues are looked at is not lost.
            shared.await(.everything)
            updateOnce()
            watch()
            let isDone = phase == .updating
            if phase != .isDown { phase = .idle }
            if isDone || shared.isReleased || shared.isEnding { return }
        }
        // Others get their turn on the lane before it goes on.
        scheduleUpdate()
    }

    private static let mostUpdatesInARow = 8

    /// The rest of this update would work with what has just changed: another one begins.
    func updateAgain() { if phase == .updating { phase = .mustUpdateAgain } }

    private func updateOnce() {
        updateNext()
        guard let pipeline = current?.pipeline, state.item?.status == .readyToPlay else { return publish() }
        updateReading(pipeline)
        guard let hasPresented = current?.epoch.hasPresented else { return updateAgain() }
        if !hasPresented {
            guard let item = current, presentFirstFrame(item, pipeline) else { return updateAgain() }
        }
        let now = now
        takeSteps(pipeline, at: now)
        adapt(pipeline, at: now)
        let switchTime = updateReload(at: now)
        guard let pipeline = current?.pipeline, let epoch = current?.start.epoch else { return updateAgain() }
        let readingTime = audio.update(&presentation.timeline, isAudible: isAudible, at: now)
        if let device = audio.device { publisher.counters.audioUnderruns = device.underruns }
        var outcome = presentation.takeDue(pipeline, at: now)
        if let next, next.isReady, let following = next.pipeline, state.followsSeamlessly {
            presentation.takeAudioBeyondSeam(pipeline, into: following, next.start, at: now, &outcome)
        }
        for time in [switchTime, readingTime, updateTexts(at: now)] {
            if let time { outcome.wake(at: time) }
        }
        deliver(outcome, pipeline, at: now)
        keepUp(pipeline, outcome, at: now)
        // Only playing passes a time; a seek that lands on it does not.
        if presentation.timeline.isRunning { observers.fire(upTo: presentation.itemTime(at: now)) }
        reportReading(pipeline)
        noteStarvation(&outcome, epoch, pipeline, at: now)
        publish()
        setAlarm(outcome.wakeAt)
        shared.await(wanted(pipeline))
        if let end = outcome.end { passEnded(end, pipeline, epoch) }
    }

    /// The item that follows is ready once its first frames are decoded.
    private func updateNext() {
        guard let id = next?.id, next?.becomesReady() == true else { return }
        carryOut(state.handle(.preparedReady(id)))
    }

    /// What reading has come to: the end of the data, the duration, how much is at hand.
    private func updateReading(_ pipeline: ItemPipeline) {
        guard let epoch = current?.start.epoch else { return }
        if pipeline.hasEndedReading(epoch), state.item?.isReadToEnd == false {
            carryOut(state.handle(.readToEnd(epoch)))
        }
        learnDuration(pipeline)
        // What is there stays until the monitor is told otherwise. Asked in parts: nothing is copied for it.
        if let until = current?.buffer.settledUntil, now < until, current?.buffer.level == state.item?.level {
            return
        }
        guard let item = current else { return }
        if let level = current?.buffer.update(pipeline, bufferSituation(item)), level != state.item?.level {
            carryOut(state.handle(.buffer(item.id, level)))
        }
    }

    /// Where the buffer is reckoned from. Until a first frame was presented: from where that is to be.
    private func bufferSituation(_ item: OpenItem) -> BufferMonitor.Situation {
        let now = now
        let target = ItemTime(item.start.firstWanted ?? item.start.demuxTarget) ?? .zero
        return BufferMonitor.Situation(
            epoch: item.start.epoch,
            itemTime: state.item?.hasFirstFrame == true ? presentation.itemTime(at: now) : target,
            end: item.ends.forward,
            pass: presentation.pass,
            rate: state.rate == 0 ? 1 : abs(state.rate),
            isPlaying: state.timelineRate > 0 && !waitsInCalls,
            host: now
        )
    }

    // MARK: The end of a pass, and starvation

    private func passEnded(_ end: PresentationScheduler.PassEnd, _ pipeline: ItemPipeline, _ epoch: Epoch) {
        let time = end.itemTime.mediaTime
        // Packets of some bare streams have no times: only the frames tell.
        if end.error == nil, !presentation.isReverse,
            presentation.ends.forward.map({ end.itemTime < $0 }) ?? true
        {
            learnDuration(pipeline, framesEnd: time)
        }
        apply(.reachedEnd(epoch, at: time, end.error))
        // What was handed over of the audio beyond the seam is heard only if that is what comes, and then.
        if presentation.endWasReported {
            takeBackAudioBeyondSeam()
        } else if presentation.audioIsMisplaced {
            audio.output?.restart()
        }
        // What was to follow may not have come.
        if !presentation.timeline.isRunning { audio.output?.endAudio() }
        updateAgain()
    }

    /// Audio from beyond a seam was handed over, and the seam does not come.
    func takeBackAudioBeyondSeam() {
        guard presentation.ahead != nil else { return }
        audio.output?.restart()
    }

    /// A track has nothing left to deliver. Where reading waits for room, because another track fills the
    /// bounds, that is no stall: playing on is what makes room. It may also be about to go on; so it is asked
    /// again a little later.
    private func noteStarvation(
        _ outcome: inout PresentationScheduler.DueOutput,
        _ epoch: Epoch,
        _ pipeline: ItemPipeline,
        at now: HostTime
    ) {
        guard outcome.isStarved, outcome.end == nil, !pipeline.hasEndedReading(epoch) else { return }
        guard !pipeline.isFull(epoch) else {
            outcome.wake(at: now.advanced(by: Self.starvationCheck))
            return
        }
        current?.buffer.starve()
        apply(.starved(epoch))
        updateAgain()
    }

    /// 20 ms: a frame or so.
    private static let starvationCheck: Int64 = 20_000_000

    // MARK: Delivery

    private func deliver(
        _ outcome: PresentationScheduler.DueOutput,
        _ pipeline: ItemPipeline,
        at now: HostTime
    ) {
        publisher.counters.framesDecoded += outcome.framesTaken
        publisher.counters.framesDropped += outcome.dropped
        for shown in outcome.shown {
            publisher.frameRate.note(now)
            show(shown.frame, due: shown.due, at: now, isEssential: false, done: nil)
        }
        if !outcome.sound.isEmpty { deliverAudio(outcome.sound, pipeline, at: now) }
        // Where more follows without a gap, processing runs through.
        let goesOn = state.repeatSetting == .loop || next != nil || reopening.item != nil
        if outcome.audioEnded, !goesOn { audio.output?.endAudio() }
        if audio.device != nil { audio.noteEnd(presentation.audioHasEnded(pipeline)) }
    }

    private func deliverAudio(
        _ buffers: [PresentationScheduler.ScheduledAudio],
        _ pipeline: ItemPipeline,
        at now: HostTime
    ) {
        let timeline = presentation.timeline
        let origin = AudioOrigin(
            rate: timeline.rate.factor,
            track: pipeline.audio?.track.id,
            settings: pipeline.sound
        )
        let pieces = buffers.map { sound in
            publisher.counters.audioSamples += sound.buffer.frameCount
            let time = ItemTime(sound.buffer.presentationTime) ?? .zero
            let place = AudioPlacement(
                origin: sound.origin,
                time: time,
                due: timeline.host(for: sound.origin.timelineTime(of: time)) ?? now,
                rate: timeline.rate,
                epoch: timeline.epoch
            )
            return (buffer: sound.buffer, place: place)
        }
        audio.output?.write(pieces, origin)
    }

    /// Hands a frame to the layers. `done` is called when their sinks have had it.
    func show(
        _ frame: VideoFrame,
        due: HostTime,
        at now: HostTime,
        isEssential: Bool,
        done: (@Sendable () -> Void)?
    ) {
        publisher.countPresented(late: max(0, now.nanoseconds(since: due)))
        if let id = current?.id {
            setPresentationSize(frame.format.presentationSize, of: id)
            let isRendered = frameTap.take(id, frame.withoutContext)
            suppressRendering(of: id, !isRendered)
        }
        layers.present(frame, of: current?.id, isEssential: isEssential, done: done ?? readiness())
    }

    /// A first frame that no seek and no load has led to: of a track that was switched on, or that begins late.
    func readiness() -> (@Sendable () -> Void)? {
        guard let id = current?.id, layers.beginsDisplay() else { return nil }
        return { [weak self] in
            self?.perform { loop in
                guard loop.current?.id == id, loop.current?.pipeline?.video != nil,
                    loop.layers.becomesReadyForDisplay()
                else { return }
                loop.report(.readyForDisplayChanged(id, true))
            }
        }
    }

    /// Leaves frames out where decoding is too slow.
    private func keepUp(
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
            seamFollows: state.repeatSetting == .loop || state.followsSeamlessly,
            at: now
        )
        if let request {
            video.stage.skipRequest.withLock { $0 = request }
            pipeline.setReadsFurther(skipPolicy.wantsFurtherReading)
        }
        guard let id = current?.id, let news = skipPolicy.takePendingChange() else { return }
        switch news {
        case .fellBehind: report(.decodingFellBehind(id))
        case .keepsUp(let skipped): report(.decodingKeepsUp(id, skipped: skipped))
        }
    }

    // MARK: When to update next

    /// What the loop waits for, apart from time. While frames are at hand a push of one more wakes nobody.
    private func wanted(_ pipeline: ItemPipeline) -> StageEvents {
        guard let level = state.item?.level, state.item?.hasFirstFrame == true, level.isFull,
            level.isLikelyToKeepUp, current?.epoch.steps.pending == 0, next?.isReady != false,
            reopening.item?.isReady != false
        else { return .everything }
        let lacksFrames = pipeline.trackPipelines.contains { branch in
            switch branch.frames.mark() {
            case .video?, .audio?: false
            // What lies behind the end of the pass may be wanted ahead of it.
            case .endOfPass?, nil: true
            }
        }
        var events: StageEvents = []
        if lacksFrames || skipPolicy.measures { events.insert(.frames) }
        // Standing still, nothing else would tell how far reading has come.
        if !presentation.timeline.isRunning { events.insert(.bounds) }
        return events
    }

    private func setAlarm(_ time: HostTime?) {
        var time = time
        if let observed = observers.nextTime(isReverse: state.isReverse),
            let host = presentation.hostTime(forItemTime: observed)
        {
            time = min(time ?? host, host)
        }
        alarm.set(time, driver, on: control) { [weak self] in
            guard let self else { return }
            alarm.fired()
            update()
        }
    }

    /// A stage's report; called on its lane.
    func take(_ report: StageReport, of id: ItemID, newestFault: Locked<MediaError?>) {
        switch report {
        case .delivered: if shared.awaits(.frames) { scheduleUpdate() }
        case .blocked: if shared.awaits(.bounds) { scheduleUpdate() }
        case .changed: scheduleUpdate()
        case .fault(let error):
            // Kept at once: an update that is already on its way may find the item without a frame.
            newestFault.withLock { $0 = error }
            perform { $0.fault(error, of: id) }
        case .startedLate(let epoch): perform { $0.startedLate(epoch) }
        case .starving(let epoch): perform { $0.askAgain(epoch) }
        case .waiting(let epoch): perform { $0.readingWaits(epoch) }
        }
    }

    /// Reading waits for bytes.
    private func readingWaits(_ epoch: Epoch) {
        // Nothing of where a seek goes is there; while playing, running dry alone tells of it.
        if epoch == current?.start.epoch, let item = state.item, item.status == .readyToPlay,
            !item.hasFirstFrame, current?.epoch.hasPresented == false
        {
            current?.buffer.startAnew()
        }
        supersedeWaitingSeek()
        update()
    }

    /// A seek that waits for bytes makes way for the newest one: it might wait for ever.
    func supersedeWaitingSeek() {
        guard state.item?.seekWaiting != nil, let item = current,
            item.pipeline?.isWaiting(item.start.epoch) == true
        else { return }
        apply(.seekWaits(item.start.epoch))
    }

    /// The source had nothing and does not tell when it has: it is asked again a little later.
    private func askAgain(_ epoch: Epoch) {
        readingWaits(epoch)
        guard isAwaited(epoch), alarm.retry == nil else { return }
        alarm.retry = driver.schedule(at: now.advanced(by: Self.retryDelay), on: control) { [weak self] in
            guard let self else { return }
            alarm.retry = nil
            for item in [current, next, reopening.item] { item?.pipeline?.wakeDemuxer() }
        }
    }

    /// 10 ms: short against any buffer, long against a poll.
    private static let retryDelay: Int64 = 10_000_000
}
