public import Foundation
public import PlayheadCore

extension PlayerItem {
    /// Posted when a pass was played to its end, also for each pass of a loop.
    public static let didPlayToEndTime = Notification.Name("Playhead.PlayerItem.didPlayToEndTime")
    /// Posted when playback failed before the end. `userInfo[PlayerItem.errorKey]` contains the `PlaybackError`.
    public static let failedToPlayToEndTime = Notification.Name("Playhead.PlayerItem.failedToPlayToEndTime")
    /// Posted when playback ran out of data.
    public static let playbackStalled = Notification.Name("Playhead.PlayerItem.playbackStalled")
    /// Posted when other tracks than before are played.
    public static let mediaSelectionDidChange =
        Notification.Name("Playhead.PlayerItem.mediaSelectionDidChange")
    /// Posted after a seek, and when a loop restarts.
    public static let timeJumped = Notification.Name("Playhead.PlayerItem.timeJumped")
    /// Posted when `errorLog()` has a new entry, whose `PlaybackError` is in `userInfo[PlayerItem.errorKey]`. An error
    /// that ended playback is posted here first, and then reported by `failedToPlayToEndTime` or the status.
    public static let newErrorLogEntry = Notification.Name("Playhead.PlayerItem.newErrorLogEntry")
    /// Posted when the item has started to play, so that `accessLog()` has a new entry.
    public static let newAccessLogEntry = Notification.Name("Playhead.PlayerItem.newAccessLogEntry")
    /// The key of the `PlaybackError` in `userInfo`.
    public static let errorKey = "Playhead.PlayerItem.error"
}

extension QueuePlayer {
    /// Posted when an item has interrupted the current one. The object is the player, and
    /// `userInfo[QueuePlayer.interstitialKey]` contains the `PlayerItem`.
    public static let interstitialDidBegin = Notification.Name("Playhead.QueuePlayer.interstitialDidBegin")
    /// Posted when an interstitial has been played, has failed or was removed. The object is the player, and
    /// `userInfo[QueuePlayer.interstitialKey]` contains the `PlayerItem`.
    public static let interstitialDidEnd = Notification.Name("Playhead.QueuePlayer.interstitialDidEnd")
    /// The key of the interstitial's `PlayerItem` in `userInfo`.
    public static let interstitialKey = "Playhead.QueuePlayer.interstitial"
}

extension Player {
    /// Posted when the rate has changed. The object is the player, and `userInfo[Player.rateDidChangeReasonKey]`
    /// contains the reason.
    public static let rateDidChange = Notification.Name("Playhead.Player.rateDidChange")
    /// The key of the `PlayerEvent.RateChange` in `userInfo`.
    public static let rateDidChangeReasonKey = "Playhead.Player.rateDidChangeReason"
}

extension Timebase {
    /// Posted when `rate` has changed, after the cause of the change. The object is the item. Jumps are posted as
    /// `PlayerItem.timeJumped`.
    public static let effectiveRateDidChange = Notification.Name("Playhead.Timebase.effectiveRateDidChange")
}

/// Posts the notifications of AVFoundation on `NotificationCenter.default`, on the player's callback queue.
extension DefaultNotifications: NotificationPosting {
    package static func post(_ event: PlayerEvent, player: Player?) {
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
        case .interstitialBegan(let item), .interstitialEnded(let item):
            let hasBegun = if case .interstitialBegan = event { true } else { false }
            center.post(
                name: hasBegun ? QueuePlayer.interstitialDidBegin : QueuePlayer.interstitialDidEnd,
                object: player,
                userInfo: [QueuePlayer.interstitialKey: item]
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
