import MediaCore
import PlayheadBackend

/// Feeds the policy with what an update of the loop saw, and says what the decoding stage is to leave out.
extension SkipPolicy {
    /// `skipped`: frames that the stage left out since the last call. `seamFollows`: see `jump`.
    mutating func follow(
        _ video: TrackPipeline,
        _ outcome: PresentationScheduler.DueOutput,
        _ presentation: inout PresentationScheduler,
        rate: Float,
        skipped: Int,
        seamFollows: Bool,
        at now: HostTime
    ) -> SkipRequest? {
        let epoch = presentation.current.epoch
        begin(epoch, ObjectIdentifier(video))
        let isReverse = presentation.isReverse
        checkPendingJump(video, outcome, presentation, at: now)
        let sample = DecodeSample(
            now: now,
            rate: presentation.timeline.isRunning ? rate : 0,
            lateness: lateness(video, outcome, isReverse: isReverse, at: now),
            isDecoding: video.isDecoding,
            decoded: outcome.dequeuedFrames,
            duration: outcome.dequeuedDuration,
            skipped: skipped
        )
        note(sample, isReverse: isReverse)
        let request = request(video, &presentation, seamFollows: seamFollows, at: now)
        guard request != lastRequest else { return nil }
        lastRequest = request
        return request
    }

    private mutating func request(
        _ video: TrackPipeline,
        _ presentation: inout PresentationScheduler,
        seamFollows: Bool,
        at now: HostTime
    ) -> SkipRequest {
        var request = SkipRequest(epoch: presentation.current.epoch, pass: presentation.pass)
        // Standing still, every frame may be looked at.
        guard rate != 0, skipping > .none else { return request }
        let isReverse = presentation.isReverse
        let position = max(.zero, presentation.itemTime(at: now))
        if keyFrameDrop > .none, !isReverse {
            let packets = UpcomingPackets(video.packets, pass: request.pass)
            let jump = jump(
                over: packets,
                position: position,
                pass: request.pass,
                seamFollows: seamFollows,
                at: now
            )
            // What the jump leaves out counts as delivered: nothing of it is missing.
            if let jump { presentation.current.pass.noteSkip(to: min(jump.time, packets.end)) }
        }
        request.skipping = skipping
        if skipping == .allButKeyFrames {
            request.position = isReverse ? position : position + jumpLatencyInItemTime
        }
        request.jump = pendingJump
        return request
    }

    /// nil: nothing can be said.
    private func lateness(
        _ video: TrackPipeline,
        _ outcome: PresentationScheduler.DueOutput,
        isReverse: Bool,
        at now: HostTime
    ) -> Int64? {
        guard pendingJump == nil else { return nil }
        // Backward, frames come in groups: only those that are shown tell how late they are.
        if !isReverse, !video.frames.isEmpty { return 0 }
        return outcome.frames.map { now.nanoseconds(since: $0.due) }.max()
    }

    /// The first frame behind a jump, shown or waiting to be shown, tells how long a jump takes.
    private mutating func checkPendingJump(
        _ video: TrackPipeline,
        _ outcome: PresentationScheduler.DueOutput,
        _ presentation: PresentationScheduler,
        at now: HostTime
    ) {
        guard let jump = pendingJump else { return }
        guard jump.pass == presentation.pass else {
            pendingJump = nil
            return
        }
        let isPastJump = { (frame: VideoFrame) in
            ItemTime(frame.presentationTime).map { $0 >= jump.time } ?? false
        }
        if let shown = outcome.frames.first(where: { isPastJump($0.frame) }) {
            jumpCompleted(lateness: now.nanoseconds(since: shown.due))
        } else if case .video(let frame)? = video.frames.peek(), frame.pass == jump.pass, isPastJump(frame) {
            jumpCompleted(lateness: now.nanoseconds(since: presentation.dueTime(frame.presentationTime)))
        }
    }
}
