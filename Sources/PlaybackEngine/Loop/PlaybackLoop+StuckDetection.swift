import MediaCore
import PlayheadBackend

/// Detection of stuck playback. An item that makes no progress fails with an error.
extension PlaybackLoop {
    /// Sets the limits. They take effect immediately. May be called from any thread.
    package func setStuckDetectionLimits(_ limits: StuckDetector.Limits) {
        perform { loop in
            loop.stuckDetector.limits = limits
            loop.update()
        }
    }

    /// Checks whether playback makes progress, at the end of each update, and schedules the next check.
    func checkForStuckPlayback() {
        guard !shared.isReleased, !shared.isEnding else { return }
        let now = now
        if let (stuckReason, time) = stuckDetector.check(
            progressSample(at: now),
            notBefore: presentation.timeline.begin,
            at: now
        ) {
            let id = state.item?.id
            apply(.stuck(state.epoch, stuckReason, after: time))
            // The data that the failed item waits for would arrive too late.
            if state.item?.id == id, state.item?.status == .failed { current?.close() }
            updateAgain()
        }
        // An earlier update checks as well.
        var next = stuckDetector.nextCheck
        if let time = next, let other = timers.nextUpdateTime, other <= time { next = nil }
        timers.scheduleStuckCheck(next, driver, on: control) { [weak self] in
            guard let self else { return }
            timers.stuckCheckFired()
            update()
        }
    }

    private func progressSample(at now: HostTime) -> StuckDetector.ProgressSample? {
        guard state.mustMakeProgress, let item = state.item else { return nil }
        guard state.timelineRate != 0, let pipeline = current?.pipeline else {
            return waitingSample(item, for: current)
        }
        // At a rate too small to be represented, time does not advance.
        guard !PlaybackRate(state.timelineRate).isStopped else { return nil }
        let time = presentation.itemTime(at: now)
        if let other = replacement, let start = presentation.replacementTime, time >= start {
            return waitingSample(item, for: other)
        }
        let tracks = pipeline.trackPipelines
        let hasFrames = tracks.contains(where: \.hasFrame)
        // Virtual time jumps to the next frame, or to the end of the last one. Checks in between would not end if that
        // is decades away.
        if !driver.isRealTime, timers.nextUpdateTime != nil,
            hasFrames || presentation.limitedToDelivered(time) == time
        {
            return nil
        }
        let isRead = tracks.contains { !$0.packets.isEmpty } || pipeline.hasEndedReading(state.epoch)
        guard hasFrames || isRead else { return waitingSample(item, for: current) }
        return .playing(
            state.epoch,
            pass: presentation.pass,
            at: hasFrames ? time : presentation.limitedToDelivered(time),
            backlog: tracks.reduce(0) { $0 &+ $1.packets.level.bytes },
            isPastEnd: !hasFrames && isPastEnd(time, item, pipeline)
        )
    }

    /// Returns a sample of a player that waits, or nil if the driver does not run in real time. In that case no time
    /// passes while bytes are read, so a limit would mean nothing.
    private func waitingSample(_ item: ItemState, for open: OpenItem?) -> StuckDetector.ProgressSample? {
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
        let declared = pipeline.durationIsUncertain ? nil : ItemTime(item.duration)
        let end = [declared, presentation.ends.forward].compactMap(\.self).min()
        return end.map { time > $0 } ?? false
    }
}

extension TrackPipeline {
    /// A Boolean value that indicates whether a frame is queued for presentation.
    fileprivate var hasFrame: Bool {
        switch frames.elementInfo() {
        case .video?, .audio?: true
        case .endOfPass?, nil: false
        }
    }
}

extension PresentationScheduler {
    /// Returns `time`, limited to what has been delivered.
    fileprivate func limitedToDelivered(_ time: ItemTime) -> ItemTime {
        let pass = current.pass
        return isReverse ? max(time, pass.lastFrameTime) : min(time, max(pass.videoUntil, pass.audioUntil))
    }
}
