import MediaCore
import PlayheadBackend

/// The wake-ups that a loop has scheduled. Confined to the control lane.
struct LoopTimers {
    private var nextUpdate: (any Wakeup)?
    private var updateTime: HostTime?
    /// The wake-up that reports the end again after playback was requested there.
    var repeatedEnd: (any Wakeup)?
    /// The wake-up that checks whether playback makes progress.
    private var stuckCheck: (time: HostTime, wakeup: any Wakeup)?
    /// The wake-up that ends the evaluation of an item's buffer.
    var evaluation: (item: ItemID, wakeup: any Wakeup)?

    /// The time of the next scheduled update, or nil if none is scheduled.
    var nextUpdateTime: HostTime? { updateTime }

    /// Schedules the check for stuck playback on `lane` at `time`. A check that is scheduled for an earlier time is
    /// kept. If `time` is nil, no check is scheduled.
    mutating func scheduleStuckCheck(
        _ time: HostTime?,
        _ driver: any Driver,
        on lane: any Lane,
        _ work: @escaping @Sendable () -> Void
    ) {
        if let stuckCheck, let time, stuckCheck.time <= time { return }
        stuckCheck?.wakeup.cancel()
        stuckCheck = time.map { ($0, driver.schedule(at: $0, on: lane, work)) }
    }

    /// Records that the wake-up of `scheduleStuckCheck` has fired.
    mutating func stuckCheckFired() { stuckCheck = nil }

    /// Schedules the next update on `lane` at `time`, in place of the one scheduled before. If `time` is nil, none is
    /// scheduled.
    mutating func scheduleUpdate(
        _ time: HostTime?,
        _ driver: any Driver,
        on lane: any Lane,
        _ work: @escaping @Sendable () -> Void
    ) {
        guard time != updateTime else { return }
        cancelUpdate()
        updateTime = time
        nextUpdate = time.map { driver.schedule(at: $0, on: lane, work) }
    }

    /// Records that the wake-up of `scheduleUpdate` has fired.
    mutating func updateFired() {
        nextUpdate = nil
        updateTime = nil
    }

    mutating func cancelUpdate() {
        nextUpdate?.cancel()
        updateFired()
    }

    mutating func cancelAll() {
        cancelUpdate()
        repeatedEnd?.cancel()
        repeatedEnd = nil
        stuckCheck?.wakeup.cancel()
        stuckCheck = nil
        evaluation?.wakeup.cancel()
        evaluation = nil
    }
}
