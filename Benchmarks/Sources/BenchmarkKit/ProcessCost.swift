internal import Glibc

/// The CPU time, waits and peak memory of this process so far.
public struct ProcessCost: Sendable {
    /// User and system time of all threads.
    public var cpuSeconds: Double
    /// How often a thread was suspended to wait.
    public var waits: Int
    /// The most memory that was resident.
    public var peakKilobytes: Int

    public static var now: ProcessCost {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return ProcessCost(
            cpuSeconds: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9,
            waits: usage.ru_nvcsw,
            peakKilobytes: usage.ru_maxrss
        )
    }

    public static func - (after: ProcessCost, before: ProcessCost) -> ProcessCost {
        ProcessCost(
            cpuSeconds: after.cpuSeconds - before.cpuSeconds,
            waits: after.waits - before.waits,
            peakKilobytes: after.peakKilobytes
        )
    }
}
