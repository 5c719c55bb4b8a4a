import MediaCore
import PlayheadBackend

/// Updates the policy from the state of the loop, and returns the request for the decoding stage.
extension SkipPolicy {
    /// Updates the policy in an update of the loop.
    ///
    /// - Parameters:
    ///   - video: The video track.
    ///   - outcome: The frames that came due in this update.
    ///   - presentation: The presentation scheduler.
    ///   - rate: The playback rate.
    ///   - skipped: The number of frames that the decoding stage has skipped since the last call.
    ///   - seamFollows: Whether other data follows the end of the pass without a gap.
    ///   - now: The current time.
    /// - Returns: The new request, or nil if it has not changed.
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
        // While the player is paused, every frame is decoded.
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
            // The skipped range counts as delivered, so that no frame is considered missing.
            if let jump { presentation.current.pass.recordSkip(to: min(jump.time, packets.end)) }
        }
        request.skipping = skipping
        if skipping == .allButKeyFrames {
            request.position = isReverse ? position : position + jumpLatencyInItemTime
        }
        request.jump = pendingJump
        return request
    }

    /// Returns the lateness of the newest frame in host nanoseconds, or nil if it is unknown.
    private func lateness(
        _ video: TrackPipeline,
        _ outcome: PresentationScheduler.DueOutput,
        isReverse: Bool,
        at now: HostTime
    ) -> Int64? {
        guard pendingJump == nil else { return nil }
        // In reverse playback, frames are decoded in groups, so only frames that are shown indicate lateness.
        if !isReverse, !video.frames.isEmpty { return 0 }
        return outcome.frames.map { now.nanoseconds(since: $0.due) }.max()
    }

    /// Measures how long a jump takes, at its first frame that is shown or ready.
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
