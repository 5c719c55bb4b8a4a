import MediaCore
import PlayheadBackend

/// Changes of audio that a device has received ahead of a seam.
extension AudioOutputLane {
    /// The position of a device whose audio is written again.
    struct RewritePosition: Sendable {
        let timeline: Timeline
        /// The current position of the timeline.
        let media: TimelineTime
        /// The earliest point at which the device can change, or nil if it plays nothing.
        let point: RateChangePoint?
    }

    /// Returns the position from which audio can be written again.
    func rewritePosition(on timeline: Timeline, at now: HostTime) -> RewritePosition {
        RewritePosition(
            timeline: timeline,
            media: timeline.media(at: now),
            point: rateChangePoint(at: now, epoch: timeline.epoch)
        )
    }

    /// Discards audio of another item that was written after a seam. Audio before the seam is written again, as late as
    /// possible.
    ///
    /// - Parameters:
    ///   - epoch: The epoch of the audio to discard.
    ///   - seam: The timeline position at which it begins.
    ///   - position: Where the device is.
    func withdraw(_ epoch: Epoch, from seam: TimelineTime, at position: RewritePosition) {
        guard let scheduler else { return }
        enqueue { [self] in
            history.remove(epoch)
            rewriteHistory(scheduler, at: position) { $0 < seam }
        }
    }

    /// Moves audio that was written before its seam was reached, because its pass begins at another time. It is written
    /// again, as late as possible.
    ///
    /// - Parameters:
    ///   - epoch: The epoch of the audio.
    ///   - pass: The pass of the audio.
    ///   - origin: The origin of the pass.
    ///   - position: Where the device is.
    func move(_ epoch: Epoch, pass: Int, to origin: PassOrigin, at position: RewritePosition) {
        guard let scheduler else { return }
        enqueue { [self] in
            history.move(epoch, pass: pass, to: origin)
            rewriteHistory(scheduler, at: position) { _ in true }
        }
    }

    /// Writes the audio of the history again, as late as possible if that is early enough, or when the timeline starts.
    private func rewriteHistory(
        _ scheduler: AudioScheduler,
        at position: RewritePosition,
        isEarlyEnough: (TimelineTime) -> Bool
    ) {
        guard position.timeline.isRunning else {
            resetProcessing()
            scheduler.flush()
            resumePosition = position.media
            return
        }
        var start = position.media
        if let point = position.point, let next = scheduler.rewind(to: point), isEarlyEnough(next) {
            start = next
        } else {
            scheduler.restart()
        }
        attempt { try reprocessHistory(with: position.timeline, from: start) }
    }
}
