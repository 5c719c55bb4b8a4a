import MediaCore
import PlayheadBackend

/// A player that is to play and gets nowhere is not left so in silence: its item fails.
extension PlaybackLoop {
    /// From any thread; takes effect at once.
    package func setStuckDetectionLimits(_ limits: StuckDetector.Limits) {
        perform { loop in
            loop.stuckDetector.limits = limits
            loop.update()
        }
    }

    /// At the end of each update.
    func watch() {
        guard !shared.isReleased, !shared.isEnding else { return }
        let now = now
        if let (stuckReason, time) = stuckDetector.look(
            sight(at: now),
            from: presentation.timeline.begin,
            at: now
        ) {
            let id = state.item?.id
            apply(.stuck(state.epoch, stuckReason, after: time))
            if state.item?.id == id, state.item?.status == .failed { callOff() }
            updateAgain()
        }
        // Who is woken before then looks then.
        var next = stuckDetector.nextLook
        if let time = next, let other = alarm.nextTime, other <= time { next = nil }
        alarm.watch(next, driver, on: control) { [weak self] in
            guard let self else { return }
            alarm.watchFired()
            update()
        }
    }

    /// What it waits for would come too late.
    private func callOff() {
        cancelReload()
        current?.close()
    }

    private func sight(at now: HostTime) -> StuckDetector.ProgressSample? {
        guard state.mustMakeProgress, let item = state.item else { return nil }
        guard state.timelineRate != 0, let pipeline = current?.pipeline else {
            return wait(item, for: current)
        }
        // So slow a rate that time cannot be counted is no rate to get on at.
        guard !PlaybackRate(state.timelineRate).isStopped else { return nil }
        let time = presentation.itemTime(at: now)
        if let other = reopening.item, let start = presentation.replacedFrom, time >= start {
            return wait(item, for: other)
        }
        let branches = pipeline.trackPipelines
        let hasFrames = branches.contains(where: \.hasFrame)
        let isRead = branches.contains { !$0.packets.isEmpty } || pipeline.hasEndedReading(state.epoch)
        guard hasFrames || isRead else { return wait(item, for: current) }
        return .playing(
            state.epoch,
            pass: presentation.pass,
            at: hasFrames ? time : presentation.reached(time),
            backlog: branches.reduce(0) { $0 &+ $1.packets.level.bytes },
            isPastEnd: !hasFrames && isPastEnd(time, item, pipeline)
        )
    }

    /// nil: where time is not real none passes while bytes are under way, so it says nothing.
    private func wait(_ item: ItemState, for open: OpenItem?) -> StuckDetector.ProgressSample? {
        guard driver.isRealTime else { return nil }
        let received = open?.demuxer.receivedBytes ?? 0
        return .waiting(
            state.epoch,
            isOpen: item.status == .readyToPlay,
            hasFirstFrame: item.hasFirstFrame,
            byteCount: received &+ Int64(open?.pipeline?.withProgress(\.bytes) ?? 0)
        )
    }

    private func isPastEnd(_ time: ItemTime, _ item: ItemState, _ pipeline: ItemPipeline) -> Bool {
        if presentation.isReverse { return time < presentation.ends.reverse }
        let declared = pipeline.mustLearnDuration ? nil : ItemTime(item.duration)
        let end = [declared, presentation.ends.forward].compactMap(\.self).min()
        return end.map { time > $0 } ?? false
    }
}

extension TrackPipeline {
    /// A frame is at hand, to be shown or heard when it is due.
    fileprivate var hasFrame: Bool {
        switch frames.mark() {
        case .video?, .audio?: true
        case .endOfPass?, nil: false
        }
    }
}

extension PresentationScheduler {
    /// `time`, but not beyond what was handed out.
    fileprivate func reached(_ time: ItemTime) -> ItemTime {
        let pass = current.pass
        return isReverse ? max(time, pass.reverseEdge) : min(time, max(pass.videoUntil, pass.audioUntil))
    }
}
