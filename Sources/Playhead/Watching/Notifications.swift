public import Foundation

extension PlayerItem {
    /// Once per pass, also on each pass of a loop.
    public static let didPlayToEndTime = Notification.Name("Playhead.PlayerItem.didPlayToEndTime")
    /// `userInfo[PlayerItem.errorKey]` holds the `PlaybackError`.
    public static let failedToPlayToEndTime = Notification.Name("Playhead.PlayerItem.failedToPlayToEndTime")
    /// Media did not arrive in time.
    public static let playbackStalled = Notification.Name("Playhead.PlayerItem.playbackStalled")
    /// Other tracks than before are played.
    public static let mediaSelectionDidChange =
        Notification.Name("Playhead.PlayerItem.mediaSelectionDidChange")
    /// After a seek or a loop's jump.
    public static let timeJumped = Notification.Name("Playhead.PlayerItem.timeJumped")
    /// `errorLog()` has a new entry; `userInfo[PlayerItem.errorKey]` holds its `PlaybackError`. What ends playing
    /// is told here first, then by `failedToPlayToEndTime` or the status.
    public static let newErrorLogEntry = Notification.Name("Playhead.PlayerItem.newErrorLogEntry")
    /// The item has begun to play: `accessLog()` has a new entry.
    public static let newAccessLogEntry = Notification.Name("Playhead.PlayerItem.newAccessLogEntry")
    /// Key in `userInfo`; its value is a `PlaybackError`.
    public static let errorKey = "Playhead.PlayerItem.error"
}

extension Player {
    /// The object is the player; `userInfo[Player.rateDidChangeReasonKey]` says why.
    public static let rateDidChange = Notification.Name("Playhead.Player.rateDidChange")
    /// Its value is a `PlayerEvent.RateChange`.
    public static let rateDidChangeReasonKey = "Playhead.Player.rateDidChangeReason"
}

/// Posts what AVFoundation's users expect on `NotificationCenter.default`, on the player's callback queue.
enum NotificationPoster {
    static func post(_ event: PlayerEvent, player: Player?) {
        let center = NotificationCenter.default
        switch event {
        case .didPlayToEndTime(let item):
            center.post(name: PlayerItem.didPlayToEndTime, object: item)
        case .failedToPlayToEndTime(let item, let error):
            center.post(
                name: PlayerItem.failedToPlayToEndTime,
                object: item,
                userInfo: [PlayerItem.errorKey: error]
            )
        case .playbackStalled(let item):
            center.post(name: PlayerItem.playbackStalled, object: item)
        case .mediaSelectionChanged(let item):
            center.post(name: PlayerItem.mediaSelectionDidChange, object: item)
        case .effectiveRateChanged(let item, _):
            center.post(name: Timebase.effectiveRateDidChange, object: item)
        case .timeJumped(let item, _): center.post(name: PlayerItem.timeJumped, object: item)
        case .errorLogEntry(let item, let entry):
            center.post(
                name: PlayerItem.newErrorLogEntry,
                object: item,
                userInfo: [PlayerItem.errorKey: entry.error]
            )
        case .accessLogEntry(let item): center.post(name: PlayerItem.newAccessLogEntry, object: item)
        case .rateChanged(_, _, let reason):
            center.post(
                name: Player.rateDidChange,
                object: player,
                userInfo: [Player.rateDidChangeReasonKey: reason]
            )
        default: break
        }
    }
}
