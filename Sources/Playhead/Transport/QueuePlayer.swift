/// A player with a queue of items. The next item is opened and decoded while the present one plays, and
/// follows it without a gap: no late or missing frame, no missing sample.
///
/// At an item's end the next one becomes current (`actionAtItemEnd` is `.advance`); behind the last one there
/// is none, and the player waits for another with `reasonForWaitingToPlay == .noItemToPlay`. An item that
/// cannot be played is told of (`PlayerItem.status`) and skipped; where none follows it stays current, paused, and what
/// is put behind it later is played at the rate that was wanted. Played items leave the queue.
///
/// `replaceCurrentItem(with: nil)` takes the current item off and leaves the others waiting: nothing plays
/// until one is inserted or `advanceToNextItem()` is called, and then the first in the queue does.
///
/// `@unchecked Sendable` because `Player` is: it stores nothing of its own.
public final class QueuePlayer: Player, @unchecked Sendable {
    /// Items that are listed twice are taken once.
    public init(items: [PlayerItem], configuration: Configuration = Configuration()) {
        super.init(playerItem: nil, configuration: configuration)
        core.becomeQueue()
        for item in items { core.insert(item, after: nil) }
    }

    /// With one item in the queue; nil: none.
    public override init(playerItem: PlayerItem?, configuration: Configuration) {
        super.init(playerItem: nil, configuration: configuration)
        core.becomeQueue()
        if let playerItem { core.insert(playerItem, after: nil) }
    }

    /// The current item first, then what follows it.
    public func items() -> [PlayerItem] { core.allItems }

    /// False for an item that is in the queue already, and behind one that is not.
    public func canInsert(_ item: PlayerItem, after other: PlayerItem?) -> Bool {
        core.canInsert(item, after: other)
    }

    /// `after` nil: behind all others. An item that `canInsert` refuses is left out. One that another player
    /// has moves here.
    public func insert(_ item: PlayerItem, after other: PlayerItem?) { core.insert(item, after: other) }

    /// Removing the current item goes on to the next one.
    public func remove(_ item: PlayerItem) { core.remove(item) }

    /// Ends the current item, without a notice that it was played to its end. Where there is none, the first
    /// of the queue becomes current.
    public func advanceToNextItem() { core.advance() }

    /// Stops playing.
    public func removeAllItems() { core.removeAllItems() }
}
