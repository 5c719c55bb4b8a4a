package import MediaCore

/// What to do with the picture at the front of the queue.
package enum FrameDecision: Hashable, Sendable {
    case present
    /// Not due yet; look again then.
    case hold(until: HostTime)
    /// The one behind it is due already.
    case drop
}

/// Decides by times alone, so that it can be tested by a table.
package enum FrameScheduler {
    /// `due` and `nextDue`: when the front picture and the one behind it come due; nil `nextDue` where there
    /// is none. Only in real time can a picture be too late to show.
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
