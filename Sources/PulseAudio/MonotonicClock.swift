internal import Glibc
import MediaCore
import PlayheadBackend
internal import Synchronization

/// The host's monotonic clock, which `DispatchTime` reads as well.
struct MonotonicClock: HostClock {
    var now: HostTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return HostTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
