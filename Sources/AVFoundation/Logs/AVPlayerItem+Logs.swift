import Playhead

extension AVPlayerItem {
    /// Returns the statistics so far, without blocking.
    ///
    /// - Returns: The log, or nil until the item has been played.
    nonisolated public func accessLog() -> AVPlayerItemAccessLog? {
        let events = item.accessLog().events
        guard !events.isEmpty else { return nil }
        return AVPlayerItemAccessLog(events.map { AVPlayerItemAccessLogEvent($0, of: item.asset) })
    }

    /// Returns the errors so far, without blocking.
    ///
    /// - Returns: The log, or nil if there were no errors.
    nonisolated public func errorLog() -> AVPlayerItemErrorLog? {
        let events = item.errorLog().events
        return events.isEmpty ? nil : AVPlayerItemErrorLog(events.map { AVPlayerItemErrorLogEvent($0) })
    }
}
