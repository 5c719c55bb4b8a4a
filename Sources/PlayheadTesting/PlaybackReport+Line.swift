import Foundation
import MediaCore
import PlaybackEngine

/// What the engine reports, in words.
extension PlaybackReport {
    /// Behind the item time; nil for what tests rarely mean, as `TimedPlayerEvent.line` leaves it out.
    var line: String? {
        switch content {
        case .loadedRangeChanged, .notice(.passEnded), .effectiveRateChanged, .choiceTaken: nil
        default: "\(Self.words(itemTime)) \(Self.words(content))"
        }
    }

    private static func words(_ time: MediaTime) -> String {
        let micros = (time.nanoseconds ?? 0) / 1000
        return String(format: "%lld.%06lld", micros / 1_000_000, micros % 1_000_000)
    }

    private static func words(_ content: Content) -> String {
        switch content {
        case .notice(let notice): words(notice)
        case .presentationSizeChanged(_, let size): "presentationSize \(size)"
        case .tracksChanged: "tracks"
        case .selectionChanged: "selection"
        case .choiceTaken(_, let number): "choice \(number) taken"
        case .effectiveRateChanged(_, let rate): "effectiveRate \(rate)"
        case .loadedRangeChanged(_, let range): "loaded \(range.map { words($0.end) } ?? "nothing")"
        case .readyForDisplayChanged(_, let isReady): "readyForDisplay \(isReady)"
        case .seekCompleted(let id, let finished): "seek \(id.rawValue) completed \(finished)"
        case .prerollCompleted(let id, let finished): "preroll \(id.rawValue) completed \(finished)"
        case .fault(_, let error): "fault \(error.code)"
        case .sinkFailed(let error, _): "sinkFailed \(error.code)"
        case .decodingFellBehind: "decodingFellBehind"
        case .decodingKeepsUp(_, let skipped): "decodingKeepsUp, \(skipped) skipped"
        }
    }

    private static func words(_ notice: PlaybackNotice) -> String {
        switch notice {
        case .playerStatusChanged(let status): "player \(status)"
        case .itemChanged(_, let id): "item \(id.map { String($0.rawValue) } ?? "none")"
        case .itemStatusChanged(_, let status): "itemStatus \(status)"
        case .itemFailed(let id, let error): "item \(id.rawValue) failed \(error.code)"
        case .durationChanged(_, let duration): "duration \(words(duration))"
        case .rateChanged(let old, let new, let reason): "rate \(old) -> \(new) (\(reason))"
        case .timeControlChanged(let status, let reason):
            "timeControl \(status)" + (reason.map { " \($0)" } ?? "")
        case .bufferEmptyChanged(_, let flag): "bufferEmpty \(flag)"
        case .bufferFullChanged(_, let flag): "bufferFull \(flag)"
        case .likelyToKeepUpChanged(_, let flag): "likelyToKeepUp \(flag)"
        case .repeatModeChanged(let setting): "repeat \(setting)"
        case .interruptionBegan: "interruptionBegan"
        case .interruptionEnded(let shouldResume): "interruptionEnded, resume \(shouldResume)"
        case .playbackStalled: "playbackStalled"
        case .playedToEnd(_, let time): "playedToEnd at \(words(time))"
        case .failedToPlayToEnd(_, let error): "failedToPlayToEnd \(error.code)"
        case .timeJumped(_, let time): "timeJumped to \(words(time))"
        case .passEnded(_, let outcome): "passEnded \(outcome)"
        }
    }
}
