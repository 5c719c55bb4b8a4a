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
            case .completeSeek(let id, let finished):
                if id != SeekID(0) { report(.seekCompleted(id, finished: finished)) }
            case .completePreroll(let id, let finished): report(.prerollCompleted(id, finished: finished))
            case .setTimelineRate(let rate): setTimelineRate(rate)
            case .setLooping(let isLooping): current?.pipeline?.setLooping(isLooping)
            case .beginNextPass: beginNextPass()
            case .setDirection(let epoch, let isReverse): setDirection(isReverse: isReverse, epoch)
            case .step(let count): step(count)
            case .prepare(let id, let epoch): prepare(id, epoch)
            case .discard(let id): if next?.id == id { discardNext() }
            case .forget(let id): sources[id] = nil
            case .takeOver(let id, let old, let isSeamless): takeOver(id, from: old, isSeamless: isSeamless)
            case .describe(let id): describe(id)
            case .post(let notice): post(notice)
            }
        }
        scheduleRepeatedEnd()
        scheduleEvaluationTimeout()
    }

    /// Schedules the event that reports the end again after playback was requested there.
    private func scheduleRepeatedEnd() {
        guard state.awaitsRepeatedEnd else {
            timers.repeatedEnd?.cancel()
            timers.repeatedEnd = nil
            return
        }
        guard timers.repeatedEnd == nil else { return }
        let time = max(now.advanced(by: Self.endRepeatDelay), earliestNextEnd)
        timers.repeatedEnd = driver.schedule(at: time, on: control) { [weak self] in
            guard let self else { return }
            timers.repeatedEnd = nil
            handle(.endRepeated(state.epoch))
        }
    }

    /// The delay before the end is reported again: 20 ms. A caller that plays and then seeks has done both by then.
    private static let endRepeatDelay: Int64 = 20_000_000
    /// The minimum interval between two reported ends without playback in between: 250 ms. A program that plays at
    /// every end sees four of them a second.
    private static let minimumEndInterval: Int64 = 250_000_000

    /// The earliest time at which an end may be reported again without any playback in between.
    private var earliestNextEnd: HostTime {
        timers.lastEnd?.host.advanced(by: Self.minimumEndInterval) ?? .zero
    }

    /// Returns whether the playback position is so close to the end in the direction of `rate`, or to the position of
    /// the last failure, that nothing would be seen or heard before it. This is the case after a seek to the end, and
    /// for a very short item.
    private func isAtEnd(rate: Float) -> Bool {
        guard let item = state.item, !item.hasEnded, let pipeline = current?.pipeline else { return false }
        let time = presentation.itemTime(at: now)
        if let failure = timers.lastEnd?.failure, (time - failure).magnitude <= Self.nearEndTolerance {
            return true
        }
        if rate < 0 {
            let isWhole = ItemTime(item.duration).map { time >= $0 } ?? false
            return time <= presentation.ends.reverse
                + (isWhole ? Self.exactEndTolerance : Self.nearEndTolerance)
        }
        let ends = [
            ItemTime(item.duration), presentation.ends.forward, presentation.passEnd(pipeline)?.itemTime,
        ]
        guard let end = ends.compactMap(\.self).min() else { return false }
        return time + (time == .zero ? Self.exactEndTolerance : Self.nearEndTolerance) >= end
    }

    /// The tolerance for positions at a boundary of the item (1 ms), and for all other positions (20 ms, less than a
    /// frame).
    private static let exactEndTolerance: Int64 = 1_000_000
    private static let nearEndTolerance: Int64 = 20_000_000

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

    private func post(_ notice: PlaybackNotice) {
        switch notice {
        case .playbackStalled: publisher.counters.stalls += 1
        case .playedToEnd:
            publisher.counters.passes += 1
            timers.lastEnd = (now, nil)
        case .failedToPlayToEnd:
            let end = current?.pipeline.flatMap { presentation.passEnd($0)?.itemTime }
            timers.lastEnd = (now, end ?? presentation.itemTime(at: now))
        case .itemChanged: timers.lastEnd = nil
        default: break
        }
        report(.notice(notice))
        guard case .itemChanged = notice, current?.isVisibleToObservers == false else { return }
        current?.isVisibleToObservers = true
        publisher.counters.faults += current?.faultsBeforeVisible ?? 0
        publish()
    }

    private func setTimelineRate(_ rate: Float) {
        let now = now
        let wasRunning = presentation.timeline.isRunning
        var start = now
        if rate != 0 {
            if !wasRunning {
                // Without this delay, a program that seeks to the end at each end would be called without a pause.
                if now < earliestNextEnd, isAtEnd(rate: rate) {
                    startTime = max(startTime ?? earliestNextEnd, earliestNextEnd)
                }
                let delay = audio.start(isAudible: isAudible, hasStartTime: startTime != nil, at: now)
                start = now.advanced(by: delay)
            }
            start = startTime ?? start
            startTime = nil
        }
        if wasRunning, rate > 0, start == now {
            changeRate(PlaybackRate(rate), at: now)
        } else {
            presentation.setRate(rate, at: start)
            if rate > 0 { audio.resume(presentation.timeline, at: now) }
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
        presentation.beginNextPass(pipeline)
        observers.jumped(itemTime: .zero)
        if reload.item != nil { reloadCurrent() }
    }

    /// Reports what was learned when the item was opened: presentation size, tracks and the selection that was
    /// applied.
    func describe(_ id: ItemID) {
        setPresentationSize(current?.pipeline?.video?.track.presentationSize ?? .zero, of: id)
        report(.tracksChanged(id))
        if let current { report(.choiceApplied(id, current.choice)) }
    }

    func setPresentationSize(_ size: PixelSize, of id: ItemID) {
        if layers.setPresentationSize(size) { report(.presentationSizeChanged(id, size)) }
    }
}
