import MediaCore
import PlayheadBackend

/// Interstitials on a device. Audio that was written ahead of time and not heard is kept, and is written again when the
/// interrupted item continues. Other sinks keep what they received, and continue with the next sample.
extension AudioOutputLane {
    /// The audio of an item that an interstitial has interrupted.
    struct InterruptedAudio {
        var history: AudioHistory
        /// The values of `hasEnded` and `expectsMore` when the item was interrupted.
        let hasEnded: Bool
        let expectsMore: Bool
    }

    /// Discards what the device plays from `point` on, so that the audio of another item follows.
    ///
    /// - Parameters:
    ///   - point: The earliest point at which the device can change, or nil if it plays nothing.
    ///   - keepsHistory: Whether the audio is kept for `endInterruption`.
    func withdraw(from point: RateChangePoint?, keepsHistory: Bool) {
        enqueue { [self] in
            guard let scheduler else { return }
            if keepsHistory { storeInterruptedAudio() }
            history.clear()
            resetProcessing()
            if point.flatMap({ scheduler.rewind(to: $0) }) == nil { scheduler.restart() }
        }
    }

    /// Discards all audio that was not heard.
    ///
    /// - Parameter keepsHistory: Whether the audio is kept for `endInterruption`. A sink without a device, to which it
    ///   is not written again, receives what processing and the resampler hold.
    func interrupt(keepsHistory: Bool) {
        enqueue { [self] in
            if keepsHistory {
                if scheduler == nil { return attempt(drain) }
                storeInterruptedAudio()
            }
            discardAll()
        }
    }

    private func storeInterruptedAudio() {
        interrupted = InterruptedAudio(history: history, hasEnded: hasEnded, expectsMore: expectsMore)
    }

    /// Continues the interrupted audio.
    ///
    /// - Parameters:
    ///   - offset: The nanoseconds by which the audio has moved on the timeline.
    ///   - media: The position on the timeline at which it continues.
    ///   - timeline: The timeline, or nil if it is stopped. The audio is then kept until it starts.
    ///   - epochs: The epochs of the audio that is still valid.
    func endInterruption(
        movedBy offset: Int64,
        from media: TimelineTime,
        timeline: Timeline?,
        epochs: [Epoch]
    ) {
        enqueue { [self] in
            guard var kept = interrupted else { return }
            interrupted = nil
            // An end that was reached before the interstitial is not reported again.
            hasEnded = kept.hasEnded
            expectsMore = kept.expectsMore
            kept.history.move(by: offset, epochs)
            history = kept.history
            guard let timeline else {
                resumePosition = media
                return
            }
            attempt { try reprocessHistory(with: timeline, from: media) }
        }
    }

    /// Writes the audio that `endInterruption` or `move` has kept, when the timeline starts.
    func startInterruptedAudio(with timeline: Timeline) {
        guard scheduler != nil else { return }
        enqueue { [self] in
            guard let media = resumePosition else { return }
            resumePosition = nil
            attempt { try reprocessHistory(with: timeline, from: media) }
        }
    }

    func discardInterruptedAudio() { enqueue { [self] in interrupted = nil } }
}

extension AudioHistory {
    /// Moves the audio on the timeline, and removes audio of other epochs.
    mutating func move(by offset: Int64, _ epochs: [Epoch]) {
        entries.removeAll { !epochs.contains($0.buffer.epoch) }
        for index in entries.indices { entries[index].placement.origin.move(by: offset) }
    }
}
