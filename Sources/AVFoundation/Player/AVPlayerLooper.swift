public import CoreMedia
public import Foundation
import MediaCore
import Playhead

/// Plays an item, or a range of it, repeatedly in a queue and without a gap. It must be retained.
@preconcurrency @MainActor open class AVPlayerLooper: NSObject {
    /// The status of looping.
    public enum Status: Int, Sendable {
        /// No copy is ready yet.
        case unknown = 0
        /// Looping has started, or will start when the turn of a copy comes.
        case ready = 1
        /// Looping is not possible; `error` says why.
        case failed = 2
        /// `disableLooping()` was called.
        case cancelled = 3
    }

    /// The position of the copies in a queue that contains items already.
    public enum ItemOrdering: Int, Sendable {
        /// The copies play at once, and the items follow when looping is disabled.
        case loopingItemsPrecedeExistingItems = 0
        /// The items play first.
        case loopingItemsFollowExistingItems = 1
    }

    nonisolated let looper: PlayerLooper?
    private nonisolated let player: AVQueuePlayer
    private nonisolated let copies: [AVPlayerItem]
    nonisolated let keyValueRegistrations = KeyValueRegistrations()

    /// Creates a looper for a whole item.
    ///
    /// - Parameters:
    ///   - player: The player, which the looper retains.
    ///   - itemToLoop: The item to copy.
    nonisolated public convenience init(player: AVQueuePlayer, templateItem itemToLoop: AVPlayerItem) {
        self.init(player: player, templateItem: itemToLoop, timeRange: .invalid)
    }

    /// Creates a looper.
    ///
    /// - Parameters:
    ///   - player: The player, which the looper retains.
    ///   - itemToLoop: The item to copy. It is never played itself.
    ///   - loopRange: The range in item time; an invalid range means the whole item. With an empty range the status is
    ///     `.failed`; Apple's looper raises an exception.
    ///   - itemOrdering: The position of the copies in a queue that contains items already.
    nonisolated public init(
        player: AVQueuePlayer,
        templateItem itemToLoop: AVPlayerItem,
        timeRange loopRange: CMTimeRange,
        existingItemsOrdering itemOrdering: ItemOrdering = .loopingItemsPrecedeExistingItems
    ) {
        self.player = player
        looper = (player.player as? QueuePlayer).map { queue in
            PlayerLooper(
                player: queue,
                templateItem: itemToLoop.item,
                timeRange: loopRange.start.isValid && loopRange.duration.isValid
                    ? MediaTimeRange(loopRange) : nil,
                existingItemsOrdering: itemOrdering == .loopingItemsFollowExistingItems
                    ? .loopingItemsFollowExistingItems : .loopingItemsPrecedeExistingItems
            )
        }
        copies =
            looper?.loopingPlayerItems.map { AVPlayerItem.representing($0, asset: itemToLoop.ownAsset) } ?? []
        super.init()
        for copy in copies {
            copy.audioTimePitchAlgorithm = itemToLoop.audioTimePitchAlgorithm
            copy.setOwner(player)
            player.hold(copy)
        }
    }

    /// The status of looping. The property can be observed.
    nonisolated open var status: Status {
        switch looper?.status {
        case .unknown: .unknown
        case .ready: .ready
        case .failed, nil: .failed
        case .cancelled: .cancelled
        }
    }

    /// The reason why `status` is `.failed`; otherwise nil. The property can be observed.
    nonisolated open var error: (any Error)? { looper?.error.map { AVError($0) } }
    /// The number of times that playback has restarted. The property can be observed.
    nonisolated open var loopCount: Int { looper?.loopCount ?? 0 }
    /// The copies in the order of their first turns.
    nonisolated open var loopingPlayerItems: [AVPlayerItem] { copies }
    /// Ends looping. The current pass plays to its end, followed by the items after the copies.
    nonisolated open func disableLooping() { looper?.disableLooping() }
}

extension AVPlayerLooper: _KeyValueCodingAndObserving, Observed {
    nonisolated func observeValue<Value: Equatable & Sendable>(
        reading read: @escaping @Sendable () -> Value?,
        changeHandler: @escaping @Sendable (_ old: Value, _ new: Value) -> Void
    ) -> ValueObservation<Value> {
        guard let looper else {
            return player.player.observeValue(reading: read, changeHandler: changeHandler)
        }
        return looper.observeValue(reading: read, changeHandler: changeHandler)
    }
}
