package import MediaCore

/// The way in which playback fails to make progress.
package enum StuckReason: Hashable, Sendable, CaseIterable {
    /// The player waits for data, and none arrives.
    case loading
    /// The timeline should run, but neither the time nor the delivered media advances.
    case playing
    /// The time is past the declared end of the item, and the item has not ended.
    case ending

    /// Returns the error that the item fails with.
    ///
    /// - Parameter time: How long playback has made no progress, in nanoseconds.
    package func error(after time: Int64) -> MediaError {
        let isWhole = time % 1_000_000_000 == 0
        let seconds = isWhole ? "\(time / 1_000_000_000)" : "\(Double(time) / 1e9)"
        let message =
            switch self {
            case .loading: "no data received for \(seconds) s"
            case .playing: "playback has not advanced for \(seconds) s"
            case .ending: "playback has not ended \(seconds) s after the end of the item"
            }
        return MediaError(.stuck, message, isRetryable: true)
    }
}

/// Detection of playback that makes no progress.
extension PlaybackState {
    /// A Boolean value that indicates whether the player should make progress: it is to play an item that has neither
    /// failed nor ended. Waiting counts, so that it cannot last indefinitely.
    package var mustMakeProgress: Bool {
        guard rate != 0, let item, !isScrubbing || !item.hasFirstFrame else { return false }
        // At a negative rate, an item that cannot be played backward waits for another rate, and not for data.
        if rate < 0, item.hasFirstFrame, !item.canPlayReverse { return false }
        return item.status != .failed && !item.hasEnded
    }

    mutating func stuck(
        _ epoch: Epoch,
        _ stuckReason: StuckReason,
        after time: Int64,
        _ actions: inout [PlaybackAction]
    ) {
        guard epoch == self.epoch, mustMakeProgress, let item else { return }
        guard stuckReason == .loading || timelineRate != 0 else { return }
        failed(item.id, stuckReason.error(after: time), &actions)
    }
}
