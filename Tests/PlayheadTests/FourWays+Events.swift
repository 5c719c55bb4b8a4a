import Foundation
import Playhead

/// Translates events into the lines of the other ways of observing.
extension FourWays {
    static func changes(
        in event: PlayerEvent,
        name: (PlayerItem?) -> String
    ) -> [(String, String)] {
        switch event {
        case .rateChanged(_, let new, _): [("rate", "\(new)")]
        case .timeControlStatusChanged(let status, let reason):
            [("timeControlStatus", "\(status)"), ("reason", reason.map { "\($0)" } ?? "none")]
        case .statusChanged(let status): [("status", "\(status)")]
        case .volumeChanged(let volume): [("volume", "\(volume)")]
        case .mutedChanged(let flag): [("muted", "\(flag)")]
        case .scrubbingChanged(let flag): [("scrubbing", "\(flag)")]
        case .interruptionBegan: [("interrupted", "true")]
        case .interruptionEnded: [("interrupted", "false")]
        case .repeatModeChanged(let mode): [("repeatMode", "\(mode)")]
        case .currentItemChanged(let item): [("currentItem", name(item))]
        case .readyForDisplayChanged(_, let flag): [("ready", "\(flag)")]
        case .itemStatusChanged(let item, let status):
            [("\(name(item)).status", "\(status)")]
                + (status == .failed ? [("\(name(item)).error", item.error?.code.rawValue ?? "none")] : [])
        case .durationChanged(let item, let time): [("\(name(item)).duration", "\(time.seconds)")]
        case .tracksChanged(let item): [("\(name(item)).tracks", "\(item.tracks.count)")]
        case .presentationSizeChanged(let item, let size): [("\(name(item)).size", "\(size)")]
        case .playbackBufferEmptyChanged(let item, let flag): [("\(name(item)).empty", "\(flag)")]
        case .playbackBufferFullChanged(let item, let flag): [("\(name(item)).full", "\(flag)")]
        case .playbackLikelyToKeepUpChanged(let item, let flag): [("\(name(item)).keepUp", "\(flag)")]
        case .loadedTimeRangesChanged(let item, let ranges):
            [("\(name(item)).loaded", "\(ranges.map(\.end.seconds))")]
        default: []
        }
    }

    static func notification(for event: PlayerEvent) -> String? {
        switch event {
        case .didPlayToEndTime: "end"
        case .failedToPlayToEndTime: "failed"
        case .playbackStalled: "stalled"
        case .timeJumped: "jumped"
        case .errorLogEntry: "error"
        case .accessLogEntry: "access"
        case .rateChanged(_, _, let reason): "rate \(reason)"
        default: nil
        }
    }
}
