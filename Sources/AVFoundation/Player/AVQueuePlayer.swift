public import Foundation
import Playhead

/// A player that plays the items of a queue in order, each without a gap after the one before.
@preconcurrency @MainActor open class AVQueuePlayer: AVPlayer {
    private nonisolated var queue: QueuePlayer? { player as? QueuePlayer }

    /// Creates a player with an empty queue.
    nonisolated public override init() { super.init(player: Self.makeQueue()) }

    /// Creates a player with one item for a URL in its queue.
    ///
    /// - Parameter url: The URL of the media.
    nonisolated public override init(url: URL) {
        super.init(player: Self.makeQueue())
        insert(AVPlayerItem(url: url), after: nil)
    }

    private nonisolated static func makeQueue() -> QueuePlayer {
        QueuePlayer(items: [], configuration: AdapterConfiguration.player)
    }

    /// Creates a player with a queue.
    ///
    /// - Parameter items: The items in order. An item that occurs twice is inserted once, and an item of another player
    ///   is not inserted; Apple's player raises an exception.
    nonisolated public init(items: [AVPlayerItem]) {
        super.init(player: Self.makeQueue())
        for item in items { insert(item, after: nil) }
    }

    /// Creates a player with one item in its queue, or none.
    ///
    /// - Parameter item: The item, or nil.
    nonisolated public override init(playerItem item: AVPlayerItem?) {
        super.init(player: Self.makeQueue())
        if let item { insert(item, after: nil) }
    }

    /// Returns the current item and the items that follow it, in order.
    ///
    /// - Returns: The items.
    nonisolated open func items() -> [AVPlayerItem] { presentItems.map { AVPlayerItem.representing($0) } }

    /// Returns whether an item can be inserted: it is in no queue, and the other one is in this queue.
    ///
    /// - Parameters:
    ///   - item: The item to insert.
    ///   - afterItem: The item to insert it after, or nil for the end of the queue.
    /// - Returns: True if `insert(_:after:)` would insert the item.
    nonisolated open func canInsert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) -> Bool {
        guard let queue, queue.canInsert(item.item, after: afterItem?.item) else { return false }
        guard let owner = item.owner, owner !== self else { return true }
        return !owner.presentItems.contains(item.item)
    }

    /// Inserts an item if `canInsert(_:after:)` permits it; otherwise the call has no effect, and Apple's player raises
    /// an exception.
    ///
    /// - Parameters:
    ///   - item: The item to insert.
    ///   - afterItem: The item to insert it after, or nil for the end of the queue.
    nonisolated open func insert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) {
        guard canInsert(item, after: afterItem) else {
            return Misuse.report("the item cannot be inserted into the queue: \(item.item.asset.url)")
        }
        item.setOwner(self)
        queue?.insert(item.item, after: afterItem?.item)
        hold(item)
    }

    /// Removes an item from the queue. If it is the current one, playback advances to the next item.
    ///
    /// - Parameter item: The item to remove.
    nonisolated open func remove(_ item: AVPlayerItem) {
        let isQueued = currentItem !== item
        queue?.remove(item.item)
        if isQueued, !presentItems.contains(item.item) { drop(item) }
    }

    /// Removes all items, which stops playback.
    nonisolated open func removeAllItems() {
        let queued = presentItems.filter { $0 !== player.currentItem }
        queue?.removeAllItems()
        // Without a current item, no event follows with which they would be released.
        for item in queued where !presentItems.contains(item) { drop(.representing(item)) }
    }

    /// Ends the current item and advances to the next one.
    nonisolated open func advanceToNextItem() { queue?.advanceToNextItem() }
}
