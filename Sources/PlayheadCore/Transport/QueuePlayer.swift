/// A player with a queue of items. The next item is opened and decoded while the current one plays, and follows without
/// a gap: no frame is late or missing, and no sample is missing.
///
/// At the end of an item the next one becomes current (`actionAtItemEnd` is `.advance`), and the played item leaves the
/// queue. After the last one there is no current item, and the player waits with `reasonForWaitingToPlay ==
/// .noItemToPlay`. An item that cannot be played sets its `status` to `.failed` and is skipped. If it is the last one,
/// it stays current and the player pauses; items that are inserted later play at the requested rate.
///
/// `replaceCurrentItem(with: nil)` removes the current item and keeps the queue. The first item of the queue plays when
/// another one is inserted, or when `advanceToNextItem()` is called.
///
/// `@unchecked Sendable`: as for `Player`; the class has no stored properties of its own.
public final class QueuePlayer: Player, @unchecked Sendable {
    /// Creates a player with a queue of items. An item that occurs twice is inserted once.
    ///
    /// - Parameters:
    ///   - items: The items in order.
    ///   - configuration: The configuration of the player.
    public init(items: [PlayerItem], configuration: Configuration = Configuration()) {
        super.init(playerItem: nil, configuration: configuration)
        core.becomeQueue()
        for item in items { core.insert(item, after: nil) }
    }

    /// Creates a player with one item in the queue, or none.
    ///
    /// - Parameters:
    ///   - playerItem: The item, or nil.
    ///   - configuration: The configuration of the player.
    public override init(playerItem: PlayerItem?, configuration: Configuration) {
        super.init(playerItem: nil, configuration: configuration)
        core.becomeQueue()
        if let playerItem { core.insert(playerItem, after: nil) }
    }

    /// Returns the current item and the items that follow it, in order.
    public func items() -> [PlayerItem] { core.allItems }

    /// Returns whether an item can be inserted: it must not be in the queue, and the other one must be.
    ///
    /// - Parameters:
    ///   - item: The item to insert.
    ///   - other: The item to insert it after, or nil for the end of the queue.
    /// - Returns: True if `insert(_:after:)` would insert the item.
    public func canInsert(_ item: PlayerItem, after other: PlayerItem?) -> Bool {
        core.canInsert(item, after: other)
    }

    /// Inserts an item if `canInsert(_:after:)` permits it. An item of another player moves to this one.
    ///
    /// - Parameters:
    ///   - item: The item to insert.
    ///   - other: The item to insert it after, or nil for the end of the queue.
    public func insert(_ item: PlayerItem, after other: PlayerItem?) { core.insert(item, after: other) }

    /// Removes an item from the queue. If it is the current one, playback advances to the next item.
    ///
    /// - Parameter item: The item to remove.
    public func remove(_ item: PlayerItem) { core.remove(item) }

    /// Ends the current item and advances to the next one. This does not count as playing to the end. Without a current
    /// item, the first item of the queue becomes current.
    public func advanceToNextItem() { core.advance() }

    /// Removes all items, which stops playback.
    public func removeAllItems() { core.removeAllItems() }
}
