import MediaCore

/// Takes what is due from the queues.
extension Renderer {
    /// Takes what is due at `now` and says when to look again.
    mutating func takeDue(_ pipeline: ItemPipeline, at now: HostTime) -> Outcome {
        var outcome = Outcome()
        guard timeline.isRunning else { return outcome }
        if current.pass.isAwaited { resumePass(pipeline, at: now) }
        if let video = pipeline.video { takeVideo(video, now, &outcome) }
        if !isReverse, let audio = pipeline.audio {
            takeAudio(audio, now, &outcome)
            if audioLead > 0 { takeAudioBeyondSeam(pipeline, audio, now, &outcome) }
        }
        if !endWasReported { findEnd(pipeline, now, &outcome) }
        return outcome
    }

    private mutating func takeVideo(_ branch: TrackPipeline, _ now: HostTime, _ outcome: inout Outcome) {
        while case .video(let frame)? = branch.frames.peek(), frame.pass == pass {
            let due = isReverse ? dueTime(current.pass.reverseEdge) : dueTime(frame.presentationTime)
            let nextDue = isRealTime ? nextDueTime(behind: frame, branch) : nil
            switch FrameScheduler.decide(due: due, nextDue: nextDue, now: now, isRealTime: isRealTime) {
            case .hold(let time):
                outcome.wake(at: time)
                return
            case .drop: outcome.dropped += 1
            case .present: outcome.shown.append(Shown(frame: frame, due: due))
            }
            outcome.framesTaken += 1
            outcome.durationTaken += max(0, frame.duration.nanoseconds ?? 0)
            current.pass.noteDelivery(of: frame)
            branch.advance()
        }
        // Backward there is nothing to wait for: what comes late is shown late.
        guard !isReverse else { return }
        noteStarvation(of: branch, until: current.pass.videoUntil, now, &outcome)
    }

    /// When the frame behind the front one is due; nil: it is not there, or is of the next pass.
    private func nextDueTime(behind frame: VideoFrame, _ branch: TrackPipeline) -> HostTime? {
        guard case .video(let next)? = branch.frames.peek(1) else { return nil }
        if isReverse { return dueTime(frame.presentationTime) }
        return next.pass == pass ? dueTime(next.presentationTime) : nil
    }

    private mutating func takeAudio(_ branch: TrackPipeline, _ now: HostTime, _ outcome: inout Outcome) {
        while case .audio(let buffer)? = branch.frames.peek(), buffer.pass == pass {
            let due = dueTime(buffer.presentationTime).advanced(by: -audioLead)
            if due > now {
                outcome.wake(at: due.advanced(by: audioSlack))
                return
            }
            branch.advance()
            guard let buffer = trimmed(buffer) else { continue }
            current.pass.audioUntil =
                (ItemTime(buffer.presentationTime) ?? current.pass.audioUntil)
                + (buffer.duration.nanoseconds ?? 0)
            outcome.sound.append(Sound(buffer: buffer, origin: origin))
        }
        if case .endOfPass? = branch.frames.peek(), !current.pass.audioEndWasReported {
            current.pass.audioEndWasReported = true
            outcome.audioEnded = true
        }
        if ahead == nil { noteStarvation(of: branch, until: current.pass.audioUntil, now, &outcome) }
    }

    /// What is left of a buffer that the audio of an epoch begins with; nil: nothing of it is wanted.
    private mutating func trimmed(_ buffer: AudioBuffer) -> AudioBuffer? {
        guard let trim = current.pass.audioTrim else { return buffer }
        let rest = buffer.starting(at: trim.mediaTime)
        guard rest.frameCount > 0 else { return nil }
        current.pass.audioTrim = nil
        return rest
    }

    /// Dry: the track has not ended, nothing of it is left on its way, and what was delivered is over.
    private func noteStarvation(
        of branch: TrackPipeline,
        until: ItemTime,
        _ now: HostTime,
        _ outcome: inout Outcome
    ) {
        guard branch.frames.isEmpty, branch.packets.isEmpty else { return }
        let over = hostTime(forItemTime: until) ?? now
        if over <= now { outcome.isStarved = true } else { outcome.wake(at: over) }
    }

    private mutating func findEnd(_ pipeline: ItemPipeline, _ now: HostTime, _ outcome: inout Outcome) {
        guard let end = passEnd(pipeline) else { return }
        // What replaces these frames knows better where it ends.
        if let replacedFrom, replacedFrom <= end.itemTime { return }
        let due = hostTime(forItemTime: end.itemTime) ?? now
        guard due <= now else {
            outcome.wake(at: due)
            return
        }
        current.pass.endWasReported = true
        outcome.end = end
    }
}
