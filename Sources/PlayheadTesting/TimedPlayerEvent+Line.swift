public import Playhead

extension TimedPlayerEvent {
    /// The event as a line of text, without its item and times, or nil for events that tests rarely check.
    ///
    /// The amount of buffered media depends on the order of steps, which a seed varies. The other events without a line
    /// repeat the information of adjacent lines.
    public var line: String? {
        switch event {
        case .loadedTimeRangesChanged, .accessLogEntry, .passEnded, .effectiveRateChanged: nil
        case .currentItemChanged(let item): "item \(item == nil ? "none" : "some")"
        case .statusChanged(let status): "player \(status)"
        case .itemStatusChanged(_, let status): "itemStatus \(status)"
        case .rateChanged(let old, let new, let reason): "rate \(old) -> \(new) \(reason)"
        case .timeControlStatusChanged(let status, let reason):
            "status \(status)" + (reason.map { " \($0)" } ?? "")
        case .playbackBufferEmptyChanged(_, let flag): "empty \(flag)"
        case .playbackBufferFullChanged(_, let flag): "full \(flag)"
        case .playbackLikelyToKeepUpChanged(_, let flag): "keepUp \(flag)"
        case .readyForDisplayChanged(_, let flag): "readyForDisplay \(flag)"
        case .interruptionEnded(let shouldResume): "interruptionEnded resume \(shouldResume)"
        case .playbackStalled: "stalled"
        case .didPlayToEndTime: "end"
        case .failedToPlayToEndTime(_, let error): "failed \(error.code)"
        case .timeJumped(_, let time): "jumped \(time.seconds)"
        default: String("\(event)".prefix { $0 != "(" })
        }
    }
}
