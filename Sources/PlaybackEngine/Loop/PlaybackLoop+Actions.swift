import MediaCore
import PlayheadBackend

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
            case .setLooping(let isLooping): current?.pipeline?.setLooping(isLooping)
            case .beginNextPass: beginNextPass()
            case .setDirection(let epoch, let isReverse): setDirection(isReverse: isReverse, epoch)
            case .step(let count): step(count)
            case .prepare(let id, let epoch): prepare(id, epoch)
            case .discard(let id): if next?.id == id { dropNext() }
            case .forget(let id): sources[id] = nil
            case .takeOver(let id, let old, let isSeamless): takeOver(id, from: old, isSeamless: isSeamless)
            case .describe(let id): describe(id)
            case .post(let notice): post(notice)
            }
        }
        awaitEnd()
        awaitEvaluation()
    }

    /// Asked to play on from the end, it tells the end again, in a moment.
    private func awaitEnd() {
        guard state.rateAtEnd != nil else {
            alarm.end?.cancel()
            alarm.end = nil
            return
        }
        guard alarm.end == nil else { return }
        let time = max(now.advanced(by: Self.endDelay), nextEnd)
        alarm.end = driver.schedule(at: time, on: control) { [weak self] in
            guard let self else { return }
            alarm.end = nil
            handle(.endRepeated(state.epoch))
        }
    }

    /// 20 ms: who plays and then seeks has done both.
    private static let endDelay: Int64 = 20_000_000
    /// 250 ms: a program that plays on at each end is told four of them a second.
    private static let endInterval: Int64 = 250_000_000

    /// When another end may be told that nothing was played for.
    private var nextEnd: HostTime { alarm.lastEnd?.host.advanced(by: Self.endInterval) ?? .zero }

    /// Whether time stands so near to where playing at `rate` ends, or has just failed, that nothing will be seen or heard
    /// before that: it was sought there. A whole item may be as short.
    private func isAtEnd(rate: Float) -> Bool {
        guard let item = state.item, !item.hasEnded, let pipeline = current?.pipeline else { return false }
        let time = presentation.itemTime(at: now)
        if let failure = alarm.lastEnd?.failure, (time - failure).magnitude <= Self.nextToNothing {
            return true
        }
        if rate < 0 {
            let isWhole = ItemTime(item.duration).map { time >= $0 } ?? false
            return time <= presentation.ends.reverse + (isWhole ? Self.nothing : Self.nextToNothing)
        }
        let ends = [
            ItemTime(item.duration), presentation.ends.forward, presentation.passEnd(pipeline)?.itemTime,
        ]
        guard let end = ends.compactMap(\.self).min() else { return false }
        return time + (time == .zero ? Self.nothing : Self.nextToNothing) >= end
    }

    /// 1 ms, and 20 ms: less than a frame.
    private static let nothing: Int64 = 1_000_000
    private static let nextToNothing: Int64 = 20_000_000

    /// How long it takes is said as soon as it is known, and not later than after a moment.
    private func awaitEvaluation() {
        let item = state.itemEvaluated
        guard alarm.evaluation?.item != item else { return }
        alarm.evaluation?.wakeup.cancel()
        alarm.evaluation = item.map { item in
            let time = now.advanced(by: Self.evaluationTime)
            let wakeup = driver.schedule(at: time, on: control) { [weak self] in
                guard let self, alarm.evaluation?.item == item else { return }
                alarm.evaluation = nil
                handle(.waitedLong(item))
            }
            return (item, wakeup)
        }
    }

    /// 100 ms: what takes less needs no spinner.
    private static let evaluationTime: Int64 = 100_000_000

    private func post(_ notice: PlaybackNotice) {
        switch notice {
        case .playbackStalled: publisher.counters.stalls += 1
        case .playedToEnd:
            publisher.counters.passes += 1
            alarm.lastEnd = (now, nil)
        case .failedToPlayToEnd:
            let end = current?.pipeline.flatMap { presentation.passEnd($0)?.itemTime }
            alarm.lastEnd = (now, end ?? presentation.itemTime(at: now))
        case .itemChanged: alarm.lastEnd = nil
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
                // Sought to the end at each end, it would go round without a pause.
                if now < nextEnd, isAtEnd(rate: rate) { startTime = max(startTime ?? nextEnd, nextEnd) }
                let delay = audio.start(isAudible: isAudible, isAppointed: startTime != nil, at: now)
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

    /// The item's audio is decoded and heard: forward, and where it has any.
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
        if reopening.item != nil { reopen() }
    }

    /// Tells what opening the item taught.
    func describe(_ id: ItemID) {
        setPresentationSize(current?.pipeline?.video?.track.presentationSize ?? .zero, of: id)
        report(.tracksChanged(id))
        if let current { report(.choiceTaken(id, current.choice)) }
    }

    func setPresentationSize(_ size: PixelSize, of id: ItemID) {
        if layers.setPresentationSize(size) { report(.presentationSizeChanged(id, size)) }
    }
}
