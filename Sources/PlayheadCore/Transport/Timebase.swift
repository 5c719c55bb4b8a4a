public import MediaCore
import PlaybackEngine
import PlayheadBackend

/// The relation between an item's time and its player's clock. It is read-only, and each value is that of the moment of
/// reading.
///
/// During a seek the time is the target and does not advance. An item without a player, and one that waits in a queue,
/// stays at its start position. All members may be used from any thread.
public struct Timebase: Sendable {
    let item: PlayerItem

    /// The rate at which time actually advances: 0 while paused, waiting or seeking, whatever `Player.rate` is. With a
    /// scheduled start (`Player.setRate(_:time:atHostTime:)`), the rate is that of the start, and time advances from
    /// the scheduled host time on.
    public var rate: Float { Float(item.played?.effectiveRate ?? 0) }

    /// The present item time.
    public var time: MediaTime { item.currentTime() }

    /// The present time of the player's clock, or nil without a player. `Player.setRate(_:time:atHostTime:)` and
    /// `TimedPlayerEvent.hostTime` use the same clock. Only differences of its times are meaningful.
    public var hostTime: HostTime? { item.core?.driver.clock.now }

    /// Returns the item time at a host time, provided that playback continues unchanged until then. Before the last
    /// change (a start, a seek or another rate) the result is the time of the change. After the end of the item, if it
    /// is known, the result is the end.
    ///
    /// - Parameter hostTime: A time on the player's clock.
    /// - Returns: The item time.
    public func time(atHostTime hostTime: HostTime) -> MediaTime { item.time(at: hostTime) }

    /// Returns the host time at which an item time is reached.
    ///
    /// - Parameter time: The item time.
    /// - Returns: The time on the player's clock, or nil if time does not advance or `time` has passed.
    public func hostTime(atTime time: MediaTime) -> HostTime? {
        guard let time = ItemTime(time) else { return nil }
        return item.played?.hostTime(forItemTime: time)
    }
}

extension PlayerItem {
    /// The relation between the item's time and its player's clock.
    public var timebase: Timebase { Timebase(item: self) }

    /// The player's snapshot while this is its current item.
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
    /// Returns the time of the output's item at a host time; see `Timebase`.
    ///
    /// - Parameter hostTime: A time on the player's clock.
    /// - Returns: The item time, or nil if no item has the output.
    public func itemTime(forHostTime hostTime: HostTime) -> MediaTime? { item?.time(at: hostTime) }
}
