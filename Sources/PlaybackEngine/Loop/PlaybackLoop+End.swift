package import MediaCore
import PlayheadBackend

/// The position of the current pass of an item relative to its end.
package enum EndState: Sendable {
    /// The end has not been reached, or a seek leads away from it.
    case ahead
    /// The pass was played to its end, and its position has not changed since.
    case reached
    /// The item, or the pass, has failed.
    case failed(MediaError)
}

/// Queries for a caller that waits for the end of an item. Control lane.
extension PlaybackLoop {
    /// Returns whether the current pass of an item has ended; nil if the item is neither the current one nor interrupted
    /// by it.
    ///
    /// - Parameters:
    ///   - id: The item.
    ///   - isReverse: Whether the item will be played backward. The end in the other direction does not count.
    package func endState(of id: ItemID, isReverse: Bool) -> EndState? {
        let interrupted = state.interstitial?.primary.flatMap { $0.item.id == id ? $0 : nil }
        guard let item = interrupted?.item ?? state.item, item.id == id else { return nil }
        if item.status == .failed {
            return .failed(item.error ?? MediaError(.unknown, "the item has failed"))
        }
        let wasReverse = interrupted?.isReverse ?? state.isReverse
        guard item.hasEnded, !item.isSeeking, wasReverse == isReverse else { return .ahead }
        if let error = item.endError { return .failed(error) }
        // A loop that was requested at the end starts again.
        let loops = interrupted == nil ? state.loopsItem : state.repeatSetting == .loop
        return loops && !item.passIsTooShortToLoop ? .ahead : .reached
    }

    /// Calls `body` on some lane when all sinks have received what has been delivered to them.
    package func afterPendingOutput(_ body: @escaping @Sendable () -> Void) {
        let both = CompletionGroup(2, body)
        layers.afterPending { both.leave() }
        if let output = audio.output { output.afterPending { both.leave() } } else { both.leave() }
    }
}
