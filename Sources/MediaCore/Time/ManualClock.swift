internal import Synchronization

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
