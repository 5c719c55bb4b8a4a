import Glibc

/// The resources that this process has used.
struct ProcessUsage: Sendable {
    /// The user and system time of all threads in seconds.
    var cpuSeconds: Double
    /// The peak resident memory in bytes.
    var peakMemory: Int

    static var now: ProcessUsage {
        var usage = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else {
            return ProcessUsage(cpuSeconds: 0, peakMemory: 0)
        }
        return ProcessUsage(
            cpuSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
            peakMemory: usage.ru_maxrss << 10
        )
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
    }
}
