package import MediaCore

/// What to do with the video frame at the front of the queue.
package enum FrameDecision: Hashable, Sendable {
    case present
    /// It is not due yet; look again then.
    case hold(until: HostTime)
    /// The frame behind it is due already.
    case drop
}

/// Decides by times alone, so that a table can test it.
package enum FrameScheduler {
    /// `due` and `nextDue`: when the front frame and the one behind it are due; nil where there is none behind it.
    /// A frame can be too late to show in real time only.
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
