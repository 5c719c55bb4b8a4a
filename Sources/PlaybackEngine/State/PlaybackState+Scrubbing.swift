import MediaCore

/// Scrubbing: a user drags the position. Time does not advance, and seeks deliver no audio. Each exact seek shows a frame
/// near its target first, which is sufficient if a seek to a distant time follows at once.
extension PlaybackState {
    /// Handles the first frame that a seek has shown, which is not the one at its target.
    mutating func previewPresented(_ epoch: Epoch, _ actions: inout [PlaybackAction]) {
        guard epoch == self.epoch, let item, item.status == .readyToPlay, item.seekInFlight != nil,
            !item.hasFirstFrame
        else { return }
        self.item?.hasPreview = true
        startWaitingSeek(&actions)
    }

    /// Replaces the seek in flight by the newest one if their targets are far apart. Otherwise the search for the one
    /// decodes most of what the other needs, and abandoning it would begin at the key frame again.
    mutating func startWaitingSeek(_ actions: inout [PlaybackAction]) {
        guard let waiting = item?.seekWaiting, let target = item?.seekInFlight?.target,
            waiting.target.isNumeric, target.isNumeric,
            max(waiting.target, target) - min(waiting.target, target) > Self.maximumDistanceToFinish
        else { return }
        item?.seekWaiting = nil
        startSeek(waiting, &actions)
    }

    /// The largest distance between the targets of two seeks at which the first one is finished: 1 s, about a group of
    /// pictures.
    private static let maximumDistanceToFinish = MediaTime(value: 1, timescale: 1)

    /// A Boolean value that indicates whether audio has to be delivered again from the current position.
    var mustResumeAudio: Bool {
        guard !isScrubbing, silentEpoch == epoch, let item else { return false }
        return item.status == .readyToPlay && item.hasFirstFrame && !item.isSeeking && !item.hasPendingSteps
    }

    mutating func resumeAudio(_ actions: inout [PlaybackAction]) {
        epoch = makeEpoch()
        resumedEpoch = epoch
        silentEpoch = nil
        stopTimeline(&actions)
        item?.hasFirstFrame = false
        item?.isReadToEnd = false
        item?.awaitsFrames = false
        switchItem(.positionChanged, &actions)
        actions.append(.resumeAudio(epoch))
    }

    /// A Boolean value that indicates whether the frames before the position are decoded before they are needed: the
    /// player is paused after a step backward.
    var decodesAhead: Bool { rate == 0 && isReverse && item?.status == .readyToPlay }
}
