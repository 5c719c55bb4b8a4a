internal import Dispatch

/// The machine's monotonic clock. It does not stop or jump when the wall clock is set.
package struct SystemClock: HostClock {
    package init() {}
    package var now: HostTime {
        HostTime(nanoseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds))
    }
}
