import MediaCore

/// What the renderer knows of one pass. A pass is one run through an item: each lap of a loop is one, and so is
/// each item of a queue. The next pass replaces the whole value, so nothing of the last one can be left over.
struct PresentationPass {
    /// Passes of this epoch that were completed before.
    var number = 0
    var origin = PassOrigin()
    /// Video and audio were delivered up to these times.
    var videoUntil = ItemTime.zero
    var audioUntil = ItemTime.zero
    /// The presentation time of the last video frame that was delivered. Backward, the next frame is due here.
    var lastFrameTime = ItemTime.zero
    /// Audio before this time is left out: a quick seek shows a key frame, and the audio begins there too.
    var audioTrim: ItemTime?

    /// Frames up to here were shown, of another variant: they come once more, and are passed over.
    var shownUntil: MediaTime?

    /// No frame of this pass is there yet. It begins when the first one is there, and not late. This happens when
    /// loop is switched on at the last moment.
    var isAwaitingFrames = false
    /// The end of the audio was told of.
    var audioEndWasReported = false
    /// The end of the pass was told of.
    var endWasReported = false
    /// Audio of what follows this pass, handed over early.
    var audioPrefetch: AudioPrefetch?
    /// Audio was handed over early, and what follows is something else or begins at another time.
    var audioIsMisplaced = false
}

extension PresentationPass {
    /// The same pass goes on with the frames of other tracks, which count their passes from zero. What was handed
    /// over of the next lap came from the queues of the old tracks, `epoch`, and is void. Taking it back takes
    /// audio of this pass along, so that begins at `now` again.
    func continued(from epoch: Epoch, at now: ItemTime) -> PresentationPass {
        let isVoid = audioPrefetch?.epoch == epoch
        return PresentationPass(
            origin: origin,
            videoUntil: videoUntil,
            audioUntil: audioUntil,
            lastFrameTime: lastFrameTime,
            audioTrim: isVoid ? now : max(audioUntil, now),
            audioPrefetch: isVoid ? nil : audioPrefetch,
            audioIsMisplaced: isVoid
        )
    }

    /// Video up to here was left out on purpose.
    mutating func noteSkip(to time: ItemTime) { videoUntil = max(videoUntil, time) }

    mutating func noteDelivery(of frame: VideoFrame) {
        videoUntil = PresentationScheduler.end(of: frame)
        lastFrameTime = ItemTime(frame.presentationTime) ?? lastFrameTime
    }
}
