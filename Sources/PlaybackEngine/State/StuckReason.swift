package import MediaCore

/// How playing gets nowhere.
package enum StuckReason: Hashable, Sendable, CaseIterable {
    /// It waits for data, and none comes.
    case loading
    /// Time is to run, and neither time nor what is shown and heard moves on.
    case playing
    /// The same behind the end that the item declares.
    case ending

    /// `time`: nanoseconds for which it has been so.
    package func error(after time: Int64) -> MediaError {
        let isWhole = time % 1_000_000_000 == 0
        let seconds = isWhole ? "\(time / 1_000_000_000)" : "\(Double(time) / 1e9)"
        let words =
            switch self {
            case .loading: "nothing that it waits for has come for \(seconds) s"
            case .playing: "it is to play, and has not moved for \(seconds) s"
            case .ending: "its end is over, and it has not ended for \(seconds) s"
            }
        return MediaError(.stuck, words, isRetryable: true)
    }
}

/// What must lead somewhere.
extension PlaybackState {
    /// It is to play an item that has neither failed nor ended: it waits, or time runs.
    package var mustMakeProgress: Bool {
        guard rate != 0, let item else { return false }
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
