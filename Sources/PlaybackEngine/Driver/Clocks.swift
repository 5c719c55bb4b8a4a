import Dispatch
package import MediaCore
import Synchronization

/// The machine's monotonic clock. It does not stop or jump when the wall clock is set.
package struct SystemClock: HostClock {
    package init() {}
    package var now: HostTime {
        HostTime(nanoseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds))
    }
}

/// A clock that moves only when it is advanced.
package final class ManualClock: HostClock {
    private let time: Atomic<Int64>

    package init(_ start: HostTime = .zero) { time = Atomic(start.nanoseconds) }

    package var now: HostTime { HostTime(nanoseconds: time.load(ordering: .acquiring)) }

    /// Advances to `target`. A time in the past is ignored, because a clock never runs backward.
    package func advance(to target: HostTime) {
        _ = time.max(target.nanoseconds, ordering: .acquiringAndReleasing)
    }
}
