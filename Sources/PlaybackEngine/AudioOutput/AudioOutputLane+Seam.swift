import MediaCore
import PlayheadBackend

/// Changes of audio that a device has received ahead of a seam.
extension AudioOutputLane {
    /// Discards audio of another item that was written after a seam. Audio before the seam is written again, as late as
    /// possible.
    ///
    /// - Parameters:
    ///   - epoch: The epoch of the audio to discard.
    ///   - seam: The timeline position at which it begins.
    ///   - timeline: The timeline.
    ///   - media: Its current position.
    ///   - point: The earliest point at which the device can change, or nil if it plays nothing.
    func withdraw(
        _ epoch: Epoch,
        from seam: TimelineTime,
        with timeline: Timeline,
        at media: TimelineTime,
        _ point: RateChangePoint?
    ) {
        guard let scheduler else { return }
        enqueue { [self] in
            history.remove(epoch)
            rewriteHistory(scheduler, with: timeline, at: media, point) { $0 < seam }
        }
    }

    /// Moves audio that was written before its seam was reached, because its pass begins at another time. It is written
    /// again, as late as possible.
    ///
    /// - Parameters:
    ///   - epoch: The epoch of the audio.
    ///   - pass: The pass of the audio.
    ///   - origin: The origin of the pass.
    ///   - timeline: The timeline.
    ///   - media: Its current position.
    ///   - point: The earliest point at which the device can change, or nil if it plays nothing.
    func move(
        _ epoch: Epoch,
        pass: Int,
        to origin: PassOrigin,
        with timeline: Timeline,
        at media: TimelineTime,
        _ point: RateChangePoint?
    ) {
        guard let scheduler else { return }
        enqueue { [self] in
            history.move(epoch, pass: pass, to: origin)
            rewriteHistory(scheduler, with: timeline, at: media, point) { _ in true }
        }
    }

    /// Writes the audio of the history again, from `point` on if that is early enough, or when the timeline starts.
    private func rewriteHistory(
        _ scheduler: AudioScheduler,
        with timeline: Timeline,
        at media: TimelineTime,
        _ point: RateChangePoint?,
        isEarlyEnough: (TimelineTime) -> Bool
    ) {
        guard timeline.isRunning else {
            resetProcessing()
            scheduler.flush()
            resumePosition = media
            return
        }
        var start = media
        if let point, let next = scheduler.rewind(to: point), isEarlyEnough(next) {
            start = next
        } else {
            scheduler.restart()
        }
        attempt { try reprocessHistory(with: timeline, from: start) }
    }
}
