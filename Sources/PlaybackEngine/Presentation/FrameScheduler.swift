package import MediaCore

/// The decision about the video frame at the front of the queue.
package enum FrameDecision: Hashable, Sendable {
    case present
    /// The frame is not due before this time.
    case hold(until: HostTime)
    /// The next frame is due already.
    case drop
}

/// Decides about a frame from times alone, so that a table can test it.
package enum FrameScheduler {
    /// Returns what to do with the front frame. Only in real time can a frame be too late to show.
    ///
    /// - Parameters:
    ///   - due: The time at which the front frame is due.
    ///   - nextDue: The time at which the next frame is due, or nil if there is none.
    ///   - now: The current time.
    ///   - isRealTime: Whether the driver runs in real time.
    package static func decide(
        due: HostTime,
        nextDue: HostTime?,
        now: HostTime,
        isRealTime: Bool
    ) -> FrameDecision {
        if due > now { return .hold(until: due) }
        if isRealTime, let nextDue, nextDue <= now { return .drop }
        return .present
    }
}
