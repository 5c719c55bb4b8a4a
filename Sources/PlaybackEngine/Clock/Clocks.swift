import Dispatch
public import MediaCore
import Synchronization

/// The machine's monotonic clock. It does not stop or jump when the wall clock is set.
public struct SystemClock: HostClock {
    public init() {}
    public var now: HostTime {
        HostTime(nanoseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds))
    }
}

/// A clock that moves only when it is told to.
public final class ManualClock: HostClock {
    private let time: Atomic<Int64>

    public init(_ start: HostTime = .zero) { time = Atomic(start.nanoseconds) }

    public var now: HostTime { HostTime(nanoseconds: time.load(ordering: .acquiring)) }

    /// Moves to `target`; a time that has passed is ignored, for a clock never runs backwards.
    public func advance(to target: HostTime) {
        _ = time.max(target.nanoseconds, ordering: .acquiringAndReleasing)
    }
}
