import MediaCore
import Synchronization

/// Looking at the queues: what is due goes to the outputs, and the next look is scheduled.
extension PlaybackLoop {
    func look() {
        guard !hasBeenReleased else { return }
        lookAtPrepared()
        guard let pipeline, let item = state.item, item.status == .readyToPlay else {
            publish()
            return
        }
        if pipeline.hasEndedReading(start.epoch), !item.isReadToEnd {
            carryOut(state.handle(.readToEnd(start.epoch)))
        }
        learnDuration(pipeline, item)
        let level = monitor.update(pipeline, bufferMoment)
        if level != state.item?.level { carryOut(state.handle(.buffer(item.id, level))) }
        if !item.hasLanded, !landingIsUnderWay { tryToLand(pipeline, item.id) }
        let now = driver.clock.now
        if pendingSteps > 0, state.item?.hasLanded == true { takeSteps(pipeline, at: now) }
        let switchAt = lookAtReplacement(at: now)
        guard let pipeline = self.pipeline else { return }
        let readingAt = followSound(at: now)
        var outcome = renderer.look(pipeline, at: now)
        if let prepared, prepared.isReady, let next = prepared.pipeline, state.followsSeamlessly {
            renderer.lookBeyondSeam(pipeline, into: next, prepared.start, at: now, &outcome)
        }
        for time in [switchAt, readingAt, lookAtTexts(at: now)].compactMap(\.self) { outcome.wake(at: time) }
        deliver(outcome, pipeline, item.id, at: now)
        keepUp(pipeline, outcome, at: now)
        // Only playing passes a time; a seek that lands on it does not.
        if renderer.timeline.isRunning { observers.fire(upTo: renderer.itemTime(at: now)) }
        reportReading(pipeline, item.id)
        publish()
        arm(outcome.wakeAt, at: now)
        if let end = outcome.end {
            // Packets of some bare streams have no times: only the pictures tell.
            if end.error == nil, !renderer.isReverse, renderer.endTime.map({ end.itemTime < $0 }) ?? true {
                learnDuration(pipeline, item, framesEnd: Self.itemTime(end.itemTime))
            }
            handle(.reachedEnd(start.epoch, at: Self.itemTime(end.itemTime), end.error))
            checkSeam()
            // What was to follow may not have come.
            if !renderer.timeline.isRunning { audio?.endSound() }
        } else if outcome.isDry, !pipeline.hasEndedReading(start.epoch) {
            monitor.runDry()
            handle(.ranDry(start.epoch))
        }
    }

    /// Where it is reckoned from what is at hand: until something has landed, from where that is to be.
    private var bufferMoment: BufferMonitor.Moment {
        let now = driver.clock.now
        let hasLanded = state.item?.hasLanded == true
        let target = (start.firstWanted ?? start.demuxTarget ?? .zero).nanoseconds ?? 0
        return BufferMonitor.Moment(
            epoch: start.epoch,
            itemTime: hasLanded ? renderer.itemTime(at: now) : target,
            pass: renderer.pass,
            rate: state.rate == 0 ? 1 : abs(state.rate),
            host: now
        )
    }

    private var landingIsUnderWay: Bool { landingEpoch == start.epoch }

    /// The first picture goes to the sinks, and when they have had it the seek (or the load) is complete.
    private func tryToLand(_ pipeline: ItemPipeline, _ id: ItemID) {
        let now = driver.clock.now
        guard let landing = renderer.land(pipeline, start: start, at: now) else { return }
        landingEpoch = start.epoch
        let epoch = start.epoch
        let time = Self.itemTime(landing.itemTime)
        let landed: @Sendable () -> Void = { [weak self] in
            self?.perform { $0.finishLanding(epoch, at: time, hadPicture: landing.frame != nil) }
        }
        let isShown = turnedAt == epoch && lastFrame?.presentationTime == landing.frame?.presentationTime
        if isShown, landing.frame != nil { return landed() }
        guard let frame = landing.frame else {
            if renderer.passEnd(pipeline) != nil, !hasFrames, isWithoutFrames(pipeline) {
                handle(.failed(id, emptiness(pipeline)))
                return
            }
            hasFrames = true
            landed()
            return
        }
        hasFrames = true
        counters.framesDecoded += 1
        show(frame, due: now, at: now, isEssential: true, done: landed)
    }

    /// Leaves pictures out where decoding falls behind a rate above 1.
    private func keepUp(_ pipeline: ItemPipeline, _ outcome: Renderer.Outcome, at now: HostTime) {
        guard driver.isRealTime, let video = pipeline.video else { return }
        if !renderer.isReverse {
            let lateness = renderer.lateness(video, at: now)
            skipPolicy.note(lateness: lateness, rate: state.timelineRate, now: now)
        } else if let latest = outcome.shown.map({ now.nanoseconds(since: $0.due) }).max() {
            // Backward pictures come in groups: how late they are shows when they are there.
            skipPolicy.note(lateness: latest, rate: state.timelineRate, now: now)
        }
        counters.framesDropped += video.stage.skipped.exchange(0, ordering: .relaxed)
        let wish = SkipWish(
            level: skipPolicy.level,
            position: max(0, renderer.itemTime(at: now)),
            pass: renderer.pass
        )
        video.stage.skipWish.withLock { $0 = wish }
    }

    /// Only the picture where the steps end is shown.
    private func takeSteps(_ pipeline: ItemPipeline, at now: HostTime) {
        let (frames, isAtEnd) = renderer.step(pipeline, atMost: pendingSteps, at: now)
        pendingSteps = isAtEnd ? 0 : pendingSteps - frames.count
        guard let last = frames.last else { return }
        counters.framesDecoded += frames.count
        audio?.restart()
        observers.jumped(itemTime: renderer.itemTime(at: now))
        show(last, due: now, at: now, isEssential: true, done: nil)
    }

    private func finishLanding(_ epoch: Epoch, at time: MediaTime, hadPicture: Bool) {
        guard epoch == start.epoch, let id = state.item?.id else { return }
        if counters.startupTime == nil {
            counters.startupTime = driver.clock.now.nanoseconds(since: openedAt)
        }
        if hadPicture, !isReadyForDisplay {
            isReadyForDisplay = true
            report(.readyForDisplayChanged(id, true))
        }
        if state.item?.seekInFlight != nil { observers.moved(itemTime: time.nanoseconds ?? 0) }
        handle(.landed(epoch, at: time))
        if renewsWhenLanded { renew() }
    }

    /// The data ended without a single frame in any track, and not because an end was set before the first.
    private func isWithoutFrames(_ pipeline: ItemPipeline) -> Bool {
        let isCut = renderer.endTime != nil && pipeline.progress.wasCut
        if isCut, lastFault.withLock({ $0?.0 }) != state.item?.id { return false }
        return pipeline.branches.allSatisfy { branch in
            if case .endOfPass(_, nil, _)? = branch.frames.peek() { return true }
            return false
        }
    }

    private func emptiness(_ pipeline: ItemPipeline) -> MediaError {
        for branch in pipeline.branches {
            if case .endOfPass(_, _, let error?)? = branch.frames.peek() { return error }
        }
        if let (id, lastFault) = lastFault.withLock({ $0 }), id == state.item?.id {
            return MediaError(
                .decodeFailed,
                "nothing in it could be decoded: \(lastFault.message)",
                track: lastFault.track,
                libraryLog: lastFault.libraryLog,
                underlyingCode: lastFault.underlyingCode
            )
        }
        return MediaError(.noPlayableTracks, "it holds no complete picture and no sound")
    }

    private func deliver(
        _ outcome: Renderer.Outcome,
        _ pipeline: ItemPipeline,
        _ id: ItemID,
        at now: HostTime
    ) {
        counters.framesDecoded += outcome.framesTaken
        counters.framesDropped += outcome.dropped
        for shown in outcome.shown {
            frameRate.note(now)
            show(shown.frame, due: shown.due, at: now, isEssential: false, done: nil)
        }
        let origin = AudioOrigin(
            rate: renderer.timeline.rate.factor,
            track: pipeline.audio?.track.id,
            settings: pipeline.sound
        )
        for sound in outcome.sound {
            counters.audioSamples += sound.buffer.frameCount
            let time = sound.buffer.presentationTime.nanoseconds ?? 0
            let place = SoundPlace(
                origin: sound.origin,
                time: time,
                due: renderer.timeline.host(for: sound.origin &+ time) ?? now,
                rate: renderer.timeline.rate,
                epoch: renderer.timeline.epoch
            )
            audio?.write(sound.buffer, origin, at: place)
        }
        // Where more follows without a gap, processing runs through.
        let goesOn = state.repeatSetting == .loop || prepared != nil || replacement != nil
        if outcome.soundEnded, !goesOn { audio?.endSound() }
        noteEndOfSound()
    }

    func show(
        _ frame: VideoFrame,
        due: HostTime,
        at now: HostTime,
        isEssential: Bool,
        done: (@Sendable () -> Void)?
    ) {
        counters.framesPresented += 1
        let lateness = max(0, now.nanoseconds(since: due))
        counters.totalLateness &+= lateness
        counters.worstLateness = max(counters.worstLateness, lateness)
        if lateness > PlaybackCounters.lateThreshold { counters.framesLate += 1 }
        if let id = state.item?.id {
            setPresentationSize(frame.format.presentationSize, of: id)
            frameTap(id, frame)
        }
        lastFrame = frame
        guard !layers.isEmpty else {
            done?()
            return
        }
        var tick: (@Sendable () -> Void)?
        if let done {
            let all = Countdown(layers.count, done)
            tick = { all.tick() }
        }
        for layer in layers { layer.present(frame, isEssential: isEssential, done: tick) }
    }

    private func arm(_ time: HostTime?, at now: HostTime) {
        var next = time
        if let observed = observers.nextTime(isReverse: state.isReverse),
            let host = renderer.hostTime(forItemTime: observed)
        {
            next = min(next ?? host, host)
        }
        guard next != alarmTime else { return }
        alarm?.cancel()
        alarm = nil
        alarmTime = next
        guard let next else { return }
        alarm = driver.schedule(at: next, on: control) { [weak self] in
            guard let self else { return }
            alarm = nil
            alarmTime = nil
            look()
        }
    }

    /// A stage's report; called on its lane.
    func take(_ report: StageReport, from id: ItemID) {
        switch report {
        case .changed: lookSoon()
        case .fault(let error):
            // Kept at once: a look that is already on its way may find the item without a frame.
            lastFault.withLock { $0 = (id, error) }
            perform { $0.fault(error, of: id) }
        case .landedLate(let epoch): perform { $0.landedLate(epoch) }
        case .starving(let epoch): perform { $0.askAgain(epoch) }
        }
    }

    /// The source had nothing; it is asked again a little later.
    private func askAgain(_ epoch: Epoch) {
        // Nothing of where a seek goes is there; while playing, running dry alone tells of it.
        if epoch == start.epoch, let item = state.item, item.status == .readyToPlay, !item.hasLanded {
            monitor.startAnew()
        }
        guard awaits(epoch), retry == nil else { return }
        let time = driver.clock.now.advanced(by: Self.retryDelay)
        retry = driver.schedule(at: time, on: control) { [weak self] in
            guard let self else { return }
            retry = nil
            pipeline?.wakeDemuxer()
            prepared?.pipeline?.wakeDemuxer()
            replacement?.pipeline?.wakeDemuxer()
        }
        look()
    }

    static func itemTime(_ nanoseconds: Int64) -> MediaTime {
        MediaTime(value: nanoseconds, timescale: 1_000_000_000)
    }

    /// 10 ms: short against any buffer, long against a poll.
    private static let retryDelay: Int64 = 10_000_000
}
