import Foundation
import MediaCore
import PlaybackEngine

/// The reports of the engine as lines of text.
extension PlaybackReport {
    /// The item time and the report, or nil for reports that tests rarely check. `TimedPlayerEvent.line` omits the same
    /// events.
    var line: String? {
        switch change {
        case .loadedRangeChanged, .passEnded, .effectiveRateChanged, .choiceApplied, .subtitlesNotOpened: nil
        default: "\(Self.describe(itemTime)) \(Self.describe(change))"
        }
    }

    private static func describe(_ time: MediaTime) -> String {
        let micros = (time.nanoseconds ?? 0) / 1000
        return String(format: "%lld.%06lld", micros / 1_000_000, micros % 1_000_000)
    }

    private static func describe(_ change: PlaybackChange) -> String {
        switch change {
        case .playerStatusChanged(let status): "player \(status)"
        case .itemChanged(_, let id): "item \(id.map { String($0.rawValue) } ?? "none")"
        case .itemStatusChanged(_, let status): "itemStatus \(status)"
        case .itemFailed(let id, let error): "item \(id.rawValue) failed \(error.code)"
        case .durationChanged(_, let duration): "duration \(describe(duration))"
        case .rateChanged(let old, let new, let reason): "rate \(old) -> \(new) (\(reason))"
        case .timeControlChanged(let status, let reason):
            "timeControl \(status)" + (reason.map { " \($0)" } ?? "")
        case .bufferEmptyChanged(_, let flag): "bufferEmpty \(flag)"
        case .bufferFullChanged(_, let flag): "bufferFull \(flag)"
        case .likelyToKeepUpChanged(_, let flag): "likelyToKeepUp \(flag)"
        case .repeatModeChanged(let setting): "repeat \(setting)"
        case .interruptionEnded(let shouldResume): "interruptionEnded, resume \(shouldResume)"
        case .playedToEnd(_, let time): "playedToEnd at \(describe(time))"
        case .failedToPlayToEnd(_, let error): "failedToPlayToEnd \(error.code)"
        case .timeJumped(_, let time): "timeJumped to \(describe(time))"
        case .passEnded(_, let outcome): "passEnded \(outcome)"
        case .presentationSizeChanged(_, let size): "presentationSize \(size)"
        case .tracksChanged: "tracks"
        case .selectionChanged: "selection"
        case .choiceApplied(_, let number): "choice \(number) applied"
        case .effectiveRateChanged(_, let rate): "effectiveRate \(rate)"
        case .loadedRangeChanged(_, let range): "loaded \(range.map { describe($0.end) } ?? "nothing")"
        case .readyForDisplayChanged(_, let isReady): "readyForDisplay \(isReady)"
        case .seekCompleted(let id, let finished): "seek \(id.rawValue) completed \(finished)"
        case .prerollCompleted(let id, let finished): "preroll \(id.rawValue) completed \(finished)"
        case .fault(_, let error): "fault \(error.code)"
        case .sinkFailed(let failure): "sinkFailed \(failure.error.code)"
        case .decodingKeepsUp(_, let skipped): "decodingKeepsUp, \(skipped) skipped"
        default: String("\(change)".prefix { $0 != "(" })
        }
    }
}
