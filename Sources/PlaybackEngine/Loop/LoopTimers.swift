import MediaCore
import PlayheadBackend

/// The wake-ups that a loop has scheduled. Confined to the control lane.
struct LoopTimers {
    private var wakeup: (any Wakeup)?
    private var time: HostTime?
    /// The wake-up at which sources that had nothing are asked again.
    var retry: (any Wakeup)?
    /// The wake-up at which an end that was played on from is told again.
    var end: (any Wakeup)?
    /// When the current item's last end was told; and where, in item time, if it was a failure.
    var lastEnd: (host: HostTime, failure: ItemTime?)?
    /// The wake-up at which it is looked whether playing gets on.
    private var look: (time: HostTime, wakeup: any Wakeup)?
    /// The wake-up at which an item has been waited for long enough to say so.
    var evaluation: (item: ItemID, wakeup: any Wakeup)?

    /// When the next update is due.
    var nextTime: HostTime? { time }

    /// Calls `work` on `lane` at `time`, or at an earlier time that was set before; nil: not at all.
    mutating func watch(
        _ time: HostTime?,
        _ driver: any Driver,
        on lane: any Lane,
        _ work: @escaping @Sendable () -> Void
    ) {
        if let look, let time, look.time <= time { return }
        look?.wakeup.cancel()
        look = time.map { ($0, driver.schedule(at: $0, on: lane, work)) }
    }

    /// The wake-up of `watch` has come.
    mutating func watchFired() { look = nil }

    /// Calls `work` on `lane` at `time` and at no other time; nil: not at all.
    mutating func set(
        _ time: HostTime?,
        _ driver: any Driver,
        on lane: any Lane,
        _ work: @escaping @Sendable () -> Void
    ) {
        guard time != self.time else { return }
        cancel()
        self.time = time
        wakeup = time.map { driver.schedule(at: $0, on: lane, work) }
    }

    /// The wake-up has come.
    mutating func fired() {
        wakeup = nil
        time = nil
    }

    mutating func cancel() {
        wakeup?.cancel()
        fired()
    }

    mutating func cancelAll() {
        cancel()
        retry?.cancel()
        retry = nil
        end?.cancel()
        end = nil
        look?.wakeup.cancel()
        look = nil
        evaluation?.wakeup.cancel()
        evaluation = nil
    }
}
