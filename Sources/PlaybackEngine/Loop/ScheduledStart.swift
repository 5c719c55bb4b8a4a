import MediaCore
import PlayheadBackend

/// A start at a host time that the caller has chosen.
struct ScheduledStart {
    var hostTime: HostTime
    /// The item time that coincides with `hostTime`, or nil for the time at which the timeline is then.
    var itemTime: ItemTime?

    /// Returns the host time at which the timeline has to leave `current`. The data may begin after the item time that
    /// was requested, for example if only the audio begins at zero.
    func hostTime(leaving current: ItemTime, rate: PlaybackRate) -> HostTime {
        guard let itemTime, current > itemTime, let delay = rate.hostTime(for: current - itemTime) else {
            return hostTime
        }
        return hostTime.advanced(by: delay)
    }
}
