import MediaCore
import PlayheadBackend

/// Execution of the actions that the state has decided on.
extension PlaybackLoop {
    func execute(_ actions: [PlaybackAction]) {
        for action in actions {
            switch action {
            case .open(let id): open(id)
            case .close(let id): close(id)
            case .seek(let epoch, let request): seek(epoch, request)
            case .resumeAudio(let epoch): resumeAudio(epoch)
            case .completeSeek(let id, let finished):
                if id != SeekID(0) { report(.seekCompleted(id, finished: finished)) }
            case .completePreroll(let id, let finished): report(.prerollCompleted(id, finished: finished))
            case .setTimelineRate(let rate): setTimelineRate(rate)
            case .setLooping(let isLooping): current?.pipeline?.setLooping(isLooping)
            case .beginNextPass: beginNextPass()
            case .setDirection(let epoch, let isReverse): setDirection(isReverse: isReverse, epoch)
            case .step(let count): step(count)
            case .prepare(let id, let epoch): prepare(id, epoch)
            case .discard(let id): discard(id)
            case .prepareInterstitial(let id, let epoch): prepareInterstitial(id, epoch)
            case .beginInterstitial(let id, let isSeamless): beginInterstitial(id, isSeamless: isSeamless)
            case .endInterstitial(let id, let old, let epoch, let isSeamless):
                endInterstitial(id, from: old, epoch, isSeamless: isSeamless)
            case .closePrimary(let id): closePrimary(id)
            case .forget(let id): sources[id] = nil
            case .takeOver(let id, let old, let isSeamless): takeOver(id, from: old, isSeamless: isSeamless)
            case .describe(let id): describe(id)
            case .itemSwitch(let action, let epoch): performSwitch(action, epoch)
            case .searchEarlier(let old, let epoch): searchEarlier(than: old, epoch)
            case .post(let change): post(change)
            }
        }
        scheduleRepeatedEnd()
        scheduleEvaluationTimeout()
    }

    private func discard(_ id: ItemID) {
        if next?.id == id {
            discardNext()
        } else if pendingInterstitial?.id == id {
            discardPendingInterstitial()
        }
    }

    /// Schedules the event that reports the end again after playback was requested there.
    private func scheduleRepeatedEnd() {
        guard state.awaitsRepeatedEnd else {
            timers.repeatedEnd?.cancel()
            timers.repeatedEnd = nil
            return
        }
        guard timers.repeatedEnd == nil else { return }
        timers.repeatedEnd = driver.schedule(at: endRateLimit.repeatTime(requestedAt: now), on: control) {
            [weak self] in
            guard let self else { return }
            timers.repeatedEnd = nil
            handle(.endRepeated(state.epoch))
        }
    }

    /// The position of the current item for `EndRateLimit`, or nil if it has no end ahead.
    private var endPosition: EndRateLimit.Position? {
        guard let item = state.item, !item.hasEnded, let pipeline = current?.pipeline else { return nil }
        let ends = [presentation.ends.forward, presentation.passEnd(pipeline)?.itemTime]
        return EndRateLimit.Position(
            time: presentation.itemTime(at: now),
            duration: ItemTime(item.duration),
            forwardEnd: ends.compactMap(\.self).min(),
            reverseEnd: presentation.ends.reverse
        )
    }

    /// Schedules the end of the evaluation phase. After 100 ms of `evaluatingBufferingRate` the waiting reason
    /// becomes `toMinimizeStalls`.
    private func scheduleEvaluationTimeout() {
        let item = state.itemUnderEvaluation
        guard timers.evaluation?.item != item else { return }
        timers.evaluation?.wakeup.cancel()
        timers.evaluation = item.map { item in
            let time = now.advanced(by: Self.evaluationTimeout)
            let wakeup = driver.schedule(at: time, on: control) { [weak self] in
                guard let self, timers.evaluation?.item == item else { return }
                timers.evaluation = nil
                handle(.evaluationTimedOut(item))
            }
            return (item, wakeup)
        }
    }

    /// The maximum duration of the evaluation phase: 100 ms. A shorter wait needs no progress indicator.
    private static let evaluationTimeout: Int64 = 100_000_000

    private func post(_ change: PlaybackChange) {
        switch change {
        case .playbackStalled: publisher.counters.stalls += 1
        case .playedToEnd:
            publisher.counters.passes += 1
            endRateLimit.endReported(at: now, failure: nil)
        case .failedToPlayToEnd:
            let end = current?.pipeline.flatMap { presentation.passEnd($0)?.itemTime }
            endRateLimit.endReported(at: now, failure: end ?? presentation.itemTime(at: now))
        case .itemChanged: endRateLimit = EndRateLimit()
        default: break
        }
        report(change)
        guard case .itemChanged = change, current?.isVisibleToObservers == false else { return }
        current?.isVisibleToObservers = true
        publisher.counters.faults += current?.faultsBeforeVisible ?? 0
        publish()
    }

    private func setTimelineRate(_ rate: Float) {
        let now = now
        var wasRunning = presentation.timeline.isRunning
        if wasRunning, rate != 0, let chosenStart, chosenStart > now {
            // Another rate cancels a start that has not been reached, and applies at once.
            presentation.setRate(0, at: now)
            wasRunning = false
        }
        var start = now
        var hasStartTime = false
        if rate != 0 {
            if !wasRunning {
                // Without this delay, a program that seeks to the end at each end would be called without a pause.
                if let position = endPosition,
                    let earliest = endRateLimit.earliestStart(from: position, rate: rate, at: now)
                {
                    let requested = scheduledStart?.hostTime ?? earliest
                    scheduledStart = ScheduledStart(
                        hostTime: max(requested, earliest),
                        itemTime: scheduledStart?.itemTime
                    )
                }
                hasStartTime = scheduledStart != nil
                let delay = audio.start(isAudible: isAudible, hasStartTime: hasStartTime, at: now)
                start = now.advanced(by: delay)
            }
            let itemTime = presentation.itemTime(at: now)
            if let scheduledStart {
                start = scheduledStart.hostTime(leaving: itemTime, rate: PlaybackRate(rate))
                chosenStart = start
            } else if !wasRunning {
                chosenStart = nil
            }
            scheduledStart = nil
        }
        if wasRunning, rate > 0, start == now {
            changeRate(PlaybackRate(rate), at: now)
        } else {
            audio.cancelRateChange(of: presentation.timeline, at: now)
            presentation.setRate(rate, at: start)
            if rate > 0 { audio.resume(presentation.timeline, hasStartTime: hasStartTime, at: now) }
        }
        publisher.frameRate.reset()
        audio.output?.setPaused(rate == 0)
        observers.rateChanged(itemTime: presentation.itemTime(at: now))
    }

    /// A Boolean value that indicates whether the item has audio that is decoded and heard. There is none backward.
    var isAudible: Bool { current?.pipeline?.audio != nil && !presentation.isReverse }

    private func changeRate(_ rate: PlaybackRate, at now: HostTime) {
        audio.changeRate(rate, of: &presentation.timeline, isAudible: isAudible, at: now) {
            [weak self] old, new, epoch in
            self?.perform { loop in
                loop.presentation.timeline.moveRateChange(from: old, to: new, epoch: epoch, at: loop.now)
                loop.update()
            }
        }
    }

    private func beginNextPass() {
        guard let pipeline = current?.pipeline else { return }
        // Looping was enabled after audio of the next item had been prefetched.
        if presentation.audioPrefetch?.mark == nil { discardPrefetchedAudio() }
        presentation.beginNextPass(pipeline)
        observers.jumped(itemTime: .zero)
        if replacement != nil { requestSwitch() }
    }

    /// Reports what was learned when the item was opened: presentation size, tracks and the selection that was
    /// applied.
    func describe(_ id: ItemID) {
        setPresentationSize(current?.pipeline?.video?.track.presentationSize ?? .zero, of: id)
        report(.tracksChanged(id))
        if let current { report(.choiceApplied(id, current.choice)) }
    }

    func setPresentationSize(_ size: PixelSize, of id: ItemID) {
        if layers.setPresentationSize(size, of: id) { report(.presentationSizeChanged(id, size)) }
    }
}
