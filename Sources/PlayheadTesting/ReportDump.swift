import Foundation
import MediaCore
package import PlaybackEngine

/// Writes what an engine reports as text, a line each, for tests that compare with golden text.
package final class ReportDump: Sendable {
    private let state = Locked([String]())

    package init() {}

    package var lines: [String] { state.withLock { $0 } }
    package var text: String { lines.joined(separator: "\n") }

    /// Give this to `PlaybackLoop` as its observer.
    package var observer: PlaybackLoop.Observer {
        { [self] report, _ in
            // How far reading is ahead hangs on the order among lanes, which tests draw by lot.
            if case .loadedRangeChanged = report.content { return }
            // The outcome of a pass repeats what the lines beside it say.
            if case .notice(.passEnded) = report.content { return }
            // Follows from the others; it has tests of its own.
            if case .effectiveRateChanged = report.content { return }
            let line = "\(Self.words(report.itemTime)) \(Self.words(report.content))"
            state.withLock { $0.append(line) }
        }
    }

    private static func words(_ time: MediaTime) -> String {
        let micros = (time.nanoseconds ?? 0) / 1000
        return String(format: "%lld.%06lld", micros / 1_000_000, micros % 1_000_000)
    }

    private static func words(_ content: PlaybackReport.Content) -> String {
        switch content {
        case .notice(let notice): words(notice)
        case .presentationSizeChanged(_, let size): "presentationSize \(size)"
        case .tracksChanged: "tracks"
        case .selectionChanged: "selection"
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
        case .playbackStalled: "playbackStalled"
        case .playedToEnd(_, let time): "playedToEnd at \(words(time))"
        case .failedToPlayToEnd(_, let error): "failedToPlayToEnd \(error.code)"
        case .timeJumped(_, let time): "timeJumped to \(words(time))"
        case .passEnded(_, let outcome): "passEnded \(outcome)"
        }
    }
}
