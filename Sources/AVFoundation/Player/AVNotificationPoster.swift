// The names of constants are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CoreMedia
public import Foundation
import MediaCore
import Playhead

extension NSNotification.Name {
    /// Posted when the item was played to its end. The object is the item.
    public static let AVPlayerItemDidPlayToEndTime =
        NSNotification.Name("AVPlayerItemDidPlayToEndTimeNotification")
    /// Posted when playback failed before the end. The object is the item, and
    /// `userInfo[AVPlayerItemFailedToPlayToEndTimeErrorKey]` contains the `NSError`.
    public static let AVPlayerItemFailedToPlayToEndTime =
        NSNotification.Name("AVPlayerItemFailedToPlayToEndTimeNotification")
    /// Posted when playback ran out of data. The object is the item.
    public static let AVPlayerItemPlaybackStalled =
        NSNotification.Name("AVPlayerItemPlaybackStalledNotification")
    /// Posted after a seek. The object is the item.
    public static let AVPlayerItemTimeJumped = NSNotification.Name("AVPlayerItemTimeJumpedNotification")
    /// Posted when the access log has a new entry. The object is the item.
    public static let AVPlayerItemNewAccessLogEntry =
        NSNotification.Name("AVPlayerItemNewAccessLogEntryNotification")
    /// Posted when the error log has a new entry. The object is the item.
    public static let AVPlayerItemNewErrorLogEntry =
        NSNotification.Name("AVPlayerItemNewErrorLogEntryNotification")
}

/// The key of the `NSError` in the user info of `AVPlayerItemFailedToPlayToEndTime`.
public let AVPlayerItemFailedToPlayToEndTimeErrorKey = "AVPlayerItemFailedToPlayToEndTimeErrorKey"

extension AVPlayerItem {
    /// The name of `AVPlayerItemDidPlayToEndTime`.
    nonisolated public static let didPlayToEndTimeNotification =
        NSNotification.Name.AVPlayerItemDidPlayToEndTime
    /// The name of `AVPlayerItemFailedToPlayToEndTime`.
    nonisolated public static let failedToPlayToEndTimeNotification =
        NSNotification.Name.AVPlayerItemFailedToPlayToEndTime
    /// The name of `AVPlayerItemPlaybackStalled`.
    nonisolated public static let playbackStalledNotification =
        NSNotification.Name.AVPlayerItemPlaybackStalled
    /// The name of `AVPlayerItemTimeJumped`.
    nonisolated public static let timeJumpedNotification = NSNotification.Name.AVPlayerItemTimeJumped
    /// Posted when other tracks than before are played. The object is the item.
    nonisolated public static let mediaSelectionDidChangeNotification =
        NSNotification.Name("AVPlayerItemMediaSelectionDidChangeNotification")
    /// The name of `AVPlayerItemNewAccessLogEntry`.
    nonisolated public static let newAccessLogEntryNotification =
        NSNotification.Name.AVPlayerItemNewAccessLogEntry
    /// The name of `AVPlayerItemNewErrorLogEntry`.
    nonisolated public static let newErrorLogEntryNotification =
        NSNotification.Name.AVPlayerItemNewErrorLogEntry
}

extension AVPlayer {
    /// Posted when the rate has changed. The object is the player.
    nonisolated public static let rateDidChangeNotification =
        NSNotification.Name("AVPlayerRateDidChangeNotification")
    /// The key of the `RateDidChangeReason` in the user info of `rateDidChangeNotification`. It is absent at an end and
    /// at a stall.
    nonisolated public static let rateDidChangeReasonKey = "AVPlayerRateDidChangeReasonKey"
}

/// Posts the notifications of a player on `NotificationCenter.default`, on its callback queue.
enum AVNotificationPoster {
    static func post(_ event: PlayerEvent, of player: AVPlayer) {
        switch event {
        case .didPlayToEndTime(let item): post(.AVPlayerItemDidPlayToEndTime, item)
        case .failedToPlayToEndTime(let item, let error):
            let info = [AVPlayerItemFailedToPlayToEndTimeErrorKey: AVError(error) as NSError]
            post(.AVPlayerItemFailedToPlayToEndTime, item, info)
        case .playbackStalled(let item): post(.AVPlayerItemPlaybackStalled, item)
        case .timeJumped(let item, _):
            post(.AVPlayerItemTimeJumped, item)
            post(timebase: kCMTimebaseNotification_TimeJumped, item)
        case .effectiveRateChanged(let item, _):
            post(timebase: kCMTimebaseNotification_EffectiveRateChanged, item)
        case .mediaSelectionChanged(let item): post(AVPlayerItem.mediaSelectionDidChangeNotification, item)
        case .accessLogEntry(let item): post(.AVPlayerItemNewAccessLogEntry, item)
        case .errorLogEntry(let item, _): post(.AVPlayerItemNewErrorLogEntry, item)
        case .rateChanged(_, _, let change):
            let reason = AVPlayer.RateDidChangeReason(change)
            NotificationCenter.default.post(
                name: AVPlayer.rateDidChangeNotification,
                object: player,
                userInfo: reason.map { [AVPlayer.rateDidChangeReasonKey: $0] }
            )
        default: break
        }
    }

    private static func post(timebase name: String, _ item: PlayerItem) {
        let timebase = AVPlayerItem.representing(item).ownTimebase
        NotificationCenter.default.post(name: NSNotification.Name(name), object: timebase)
    }

    private static func post(
        _ name: NSNotification.Name,
        _ item: PlayerItem,
        _ info: [String: NSError]? = nil
    ) {
        NotificationCenter.default.post(name: name, object: AVPlayerItem.representing(item), userInfo: info)
    }
}
