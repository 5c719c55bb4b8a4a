public import Foundation
public import MediaCore
import PlaybackEngine
import PlayheadBackend

/// How an item's time runs against its player's clock; only to be read. It follows what happens: each answer is
/// that of the moment.
///
/// Any thread. While a seek is under way the time is its target, and stands there. An item that no player has
/// stands at its start position, and so does one that waits in a queue.
public struct Timebase: Sendable {
    let item: PlayerItem

    /// How fast time really runs: 0 while standing, waiting or seeking, whatever `Player.rate` wishes. One that
    /// is to start at a host time in the future has its rate already, and stands still until then.
    public var rate: Float { Float(item.played?.effectiveRate ?? 0) }

    /// The item time now.
    public var time: MediaTime { item.currentTime() }

    /// The player's clock now; nil without a player. What `Player.setRate(_:time:atHostTime:)` is given and
    /// `TimedPlayerEvent.hostTime` tells is on it; only differences mean anything.
    public var hostTime: HostTime? { item.core?.driver.clock.now }

    /// The item time that is shown when the clock is at `hostTime`, if nothing changes until then. Before the
    /// last change (a start, a seek, another rate) it holds at the time of the change, and past the end of the
    /// item, as far as that is known, at the end.
    public func time(atHostTime hostTime: HostTime) -> MediaTime { item.time(at: hostTime) }

    /// When the clock reaches `time`; nil while standing, and where that time is passed.
    public func hostTime(atTime time: MediaTime) -> HostTime? {
        guard let time = ItemTime(time) else { return nil }
        return item.played?.hostTime(forItemTime: time)
    }

    /// Posted when `rate` has changed, behind what changed it; the object is the item. Jumps post
    /// `PlayerItem.timeJumped`.
    public static let effectiveRateDidChange = Notification.Name("Playhead.Timebase.effectiveRateDidChange")
}

extension PlayerItem {
    /// Host time against item time.
    public var timebase: Timebase { Timebase(item: self) }

    /// The player's side while this is its current item.
    fileprivate var played: PlaybackSnapshot? {
        let attachment = state.withLock { $0.attachment }
        guard let attachment, let core = attachment.core, core.item === self else { return nil }
        let snapshot = core.snapshot
        return snapshot.itemID == attachment.id ? snapshot : nil
    }

    func time(at hostTime: HostTime) -> MediaTime {
        let (attachment, start) = state.withLock { ($0.attachment, $0.startPosition) }
        if let core = attachment?.core { return core.time(of: self, at: hostTime) }
        return start?.time ?? .zero
    }
}

extension PlayerItemOutput {
    /// The time of `item` at `hostTime` of its player's clock; see `Timebase`. nil while no item has the output.
    public func itemTime(forHostTime hostTime: HostTime) -> MediaTime? { item?.time(at: hostTime) }
}
