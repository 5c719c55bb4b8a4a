import MediaCore

/// Delivery of what is due.
extension PresentationScheduler {
    /// Removes what is due at `now` from the queues. The result contains the time of the next update.
    mutating func dequeueDue(_ pipeline: ItemPipeline, at now: HostTime) -> DueOutput {
        var outcome = DueOutput()
        guard timeline.isRunning else { return outcome }
        if current.pass.isAwaitingFrames { resumePass(pipeline, at: now) }
        if let video = pipeline.video { dequeueVideo(video, pipeline, now, &outcome) }
        if !isReverse, let audio = pipeline.audio {
            dequeueAudio(audio, pipeline, now, &outcome)
            if prefetchesAudio { prefetchAudio(pipeline, audio, now, &outcome) }
        }
        if !endWasReported { detectEnd(pipeline, now, &outcome) }
        return outcome
    }

    private mutating func dequeueVideo(
        _ track: TrackPipeline,
        _ pipeline: ItemPipeline,
        _ now: HostTime,
        _ outcome: inout DueOutput
    ) {
        while case .video(pass, let time)? = track.frames.elementInfo() {
            if let shown = current.pass.shownUntil {
                // These frames were decoded after the other variant had shown them.
                guard time > shown else {
                    track.advance()
                    continue
                }
                current.pass.shownUntil = nil
            }
            let due = isReverse ? dueTime(current.pass.lastFrameTime) : dueTime(time)
            let nextDue = isRealTime ? nextDueTime(after: time, track) : nil
            let decision = FrameScheduler.decide(due: due, nextDue: nextDue, now: now, isRealTime: isRealTime)
            if case .hold(let time) = decision { return outcome.wake(at: time) }
            guard case .video(let frame)? = track.advance() else { return }
            if decision == .drop {
                outcome.dropped += frame.isUndecoded ? 0 : 1
            } else {
                outcome.frames.append(ScheduledFrame(frame: frame, due: due))
            }
            outcome.dequeuedFrames += 1
            if frame.isUndecoded { outcome.undecodedFrames += 1 }
            let duration = max(0, frame.duration.nanoseconds ?? 0)
            outcome.dequeuedDuration = outcome.dequeuedDuration.addingClamped(duration)
            current.pass.recordDelivery(of: frame)
        }
        // Backward no underrun is detected: late frames are shown late.
        guard !isReverse else { return }
        detectUnderrun(of: track, pipeline, until: current.pass.videoUntil, now, &outcome)
    }

    /// Returns the time at which the frame after the front one is due, or nil if it is unavailable or belongs to the
    /// next pass.
    private func nextDueTime(after time: MediaTime, _ track: TrackPipeline) -> HostTime? {
        guard case .video(let nextPass, let next)? = track.frames.elementInfo(1) else { return nil }
        if isReverse { return dueTime(time) }
        return nextPass == pass ? dueTime(next) : nil
    }

    private mutating func dequeueAudio(
        _ track: TrackPipeline,
        _ pipeline: ItemPipeline,
        _ now: HostTime,
        _ outcome: inout DueOutput
    ) {
        var isFirst = true
        while case .audio(pass, let time)? = track.frames.elementInfo() {
            let due = dueTime(time).advanced(by: -audioLead)
            if due > now || isFirst && canWaitForNextWakeup(track, due, outcome) {
                if let time = ItemTime(time) { noteSilence(before: time, &outcome) }
                return outcome.wake(at: due.advanced(by: audioSlack))
            }
            isFirst = false
            current.pass.silenceWasReported = false
            guard let decoded = removeAudio(track, current.epoch) else { return }
            guard let buffer = trimmed(decoded) else { continue }
            current.pass.audioUntil =
                (ItemTime(buffer.presentationTime) ?? current.pass.audioUntil)
                + (buffer.duration.nanoseconds ?? 0)
            outcome.audio.append(ScheduledAudio(buffer: buffer, origin: origin))
        }
        if case .endOfPass(_, let last, _)? = track.frames.elementInfo(), !current.pass.audioEndWasReported {
            current.pass.audioEndWasReported = true
            outcome.audioEnded = true
            let end = expectedEnd(pipeline, audioEnd: last.map(ItemTime.init(nanoseconds:)))
            if let end { noteSilence(before: end, &outcome) }
        }
        guard audioPrefetch == nil else { return }
        if track.frames.isEmpty, pipeline.isOver(track, current.epoch) {
            noteSilence(before: .distantFuture, &outcome)
        }
        detectUnderrun(of: track, pipeline, until: current.pass.audioUntil, now, &outcome)
    }

    /// Notes that silence follows the audio that was delivered, if the next audio begins, or the pass ends, far after
    /// it. Audio processing must then return what it holds, because the next audio is delivered too late for that.
    private mutating func noteSilence(before next: ItemTime, _ outcome: inout DueOutput) {
        guard !current.pass.silenceWasReported, next - current.pass.audioUntil > Self.shortestSilence else {
            return
        }
        current.pass.silenceWasReported = true
        outcome.silenceFollows = true
    }

    /// The shortest silence before which audio processing returns what it holds: 100 ms. It compares audio with what
    /// follows a shorter one, as at the seam of a loop whose audio is slightly shorter than its video.
    private static let shortestSilence: Int64 = 100_000_000

    /// Removes the audio at the front of a track. Of a long buffer for a device, only the beginning is removed.
    func removeAudio(_ track: TrackPipeline, _ epoch: Epoch) -> AudioBuffer? {
        guard case .audio(let buffer)? = track.advance() else { return nil }
        let count = buffer.format.sampleRate / Self.piecesPerSecond
        guard hasAudioDevice, count > 0, buffer.frameCount > count else { return buffer }
        track.restore([buffer.trimmed(first: count)], epoch: epoch)
        return buffer.trimmed(last: buffer.frameCount - count)
    }

    /// The number of pieces into which a second of audio is split. At the lowest rate, 0.25, a piece lasts a second.
    private static let piecesPerSecond = 4

    /// Returns whether audio that was due at `due` can wait for the next wake-up, so that several buffers are
    /// delivered at once. This requires that nothing is decoded, because decoding may delay that wake-up.
    func canWaitForNextWakeup(_ track: TrackPipeline, _ due: HostTime, _ outcome: DueOutput) -> Bool {
        guard audioSlack > 0, let next = outcome.wakeAt, track.isPausedAfterBurst else { return false }
        return next <= due.advanced(by: audioSlack)
    }

    /// Returns the part of the epoch's first audio buffer that is to be heard, or nil if there is none.
    private mutating func trimmed(_ buffer: AudioBuffer) -> AudioBuffer? {
        guard let trim = current.pass.audioTrim else { return buffer }
        let rest = buffer.starting(at: trim.mediaTime)
        guard rest.frameCount > 0 else { return nil }
        current.pass.audioTrim = nil
        return rest
    }

    /// Detects an underrun: the track has not ended, none of its data is queued, and what was delivered has been
    /// played.
    private func detectUnderrun(
        of track: TrackPipeline,
        _ pipeline: ItemPipeline,
        until: ItemTime,
        _ now: HostTime,
        _ outcome: inout DueOutput
    ) {
        guard track.frames.isEmpty, track.packets.isEmpty, !pipeline.isOver(track, current.epoch) else {
            return
        }
        let over = hostTime(forItemTime: until) ?? now
        if over <= now { outcome.hasUnderrun = true } else { outcome.wake(at: over) }
    }

    private mutating func detectEnd(_ pipeline: ItemPipeline, _ now: HostTime, _ outcome: inout DueOutput) {
        guard let end = passEnd(pipeline) else { return }
        // The end of the replacement applies, not the end of these frames.
        if let replacementTime, replacementTime <= end.itemTime { return }
        let due = hostTime(forItemTime: end.itemTime) ?? now
        guard due <= now else {
            outcome.wake(at: due)
            return
        }
        current.pass.endWasReported = true
        outcome.end = end
    }
}
