import MediaCore

/// Scrubbing: a user drags the position. Time does not advance, and seeks deliver no audio. Each exact seek shows a frame
/// near its target first, which is sufficient if another seek follows at once.
extension PlaybackState {
    /// Handles the first frame that a seek has shown, which is not the one at its target.
    mutating func previewPresented(_ epoch: Epoch, _ actions: inout [PlaybackAction]) {
        guard epoch == self.epoch, let item, item.status == .readyToPlay, item.seekInFlight != nil,
            !item.hasFirstFrame
        else { return }
        self.item?.hasPreview = true
        startWaitingSeek(&actions)
    }

    /// Replaces the seek in flight, whose frame is not needed any more, by the newest one.
    mutating func startWaitingSeek(_ actions: inout [PlaybackAction]) {
        guard let waiting = item?.seekWaiting else { return }
        item?.seekWaiting = nil
        startSeek(waiting, &actions)
    }

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
