import MediaCore

/// The scheduler's state of one pass. A pass is one run through an item: each iteration of a loop is one, and so is
/// each item of a queue. The next pass replaces the whole value, so no state of the last one remains.
struct PresentationPass {
    /// The number of passes of this epoch that were completed before.
    var number = 0
    var origin = PassOrigin()
    /// The item times up to which video and audio were delivered.
    var videoUntil = ItemTime.zero
    var audioUntil = ItemTime.zero
    /// The presentation time of the last video frame that was delivered. Backward, the next frame is due at this
    /// time.
    var lastFrameTime = ItemTime.zero
    /// The item time before which audio is omitted. A quick seek shows a key frame, and the audio begins there too.
    var audioTrim: ItemTime?

    /// The time up to which frames of another variant were shown. The same frames of this variant are skipped.
    var shownUntil: MediaTime?

    /// A Boolean value that indicates whether the pass has no frame yet. It begins when the first one is available.
    /// This happens if looping is enabled shortly before the end.
    var isAwaitingFrames = false
    /// A Boolean value that indicates whether the end of the audio was reported.
    var audioEndWasReported = false
    /// A Boolean value that indicates whether it was reported that silence follows the audio that was delivered last.
    var silenceWasReported = false
    /// A Boolean value that indicates whether the end of the pass was reported.
    var endWasReported = false
    /// The audio after this pass that was delivered early.
    var audioPrefetch: AudioPrefetch?
    /// A Boolean value that indicates whether prefetched audio is wrong, because something else follows.
    var audioIsVoid = false
    /// A Boolean value that indicates whether prefetched audio was delivered for another time than the one at which it
    /// begins.
    var audioIsMisplaced = false
}

extension PresentationPass {
    /// Returns the same pass for the frames of other tracks, whose pass numbers begin at zero.
    ///
    /// Audio that was prefetched from the queues of the old tracks (`epoch`) is void. Discarding it also discards
    /// audio of this pass, which then begins at `now` again.
    func continued(from epoch: Epoch, at now: ItemTime) -> PresentationPass {
        let isVoid = audioPrefetch?.epoch == epoch
        return PresentationPass(
            origin: origin,
            videoUntil: videoUntil,
            audioUntil: audioUntil,
            lastFrameTime: lastFrameTime,
            audioTrim: isVoid ? now : max(audioUntil, now),
            audioPrefetch: isVoid ? nil : audioPrefetch,
            audioIsVoid: isVoid
        )
    }

    /// Moves the pass on the timeline, after another item has been played in its middle.
    mutating func move(by nanoseconds: Int64) {
        origin.move(by: nanoseconds)
        audioPrefetch?.origin.move(by: nanoseconds)
    }

    /// Records that video up to `time` was skipped on purpose.
    mutating func recordSkip(to time: ItemTime) { videoUntil = max(videoUntil, time) }

    mutating func recordDelivery(of frame: VideoFrame) {
        videoUntil = PresentationScheduler.end(of: frame)
        lastFrameTime = ItemTime(frame.presentationTime) ?? lastFrameTime
    }
}
