internal import Glibc

/// What this process has used of the machine so far.
public struct ProcessCost: Sendable {
    /// User and system together, of all threads.
    public var cpuSeconds: Double
    /// How often a thread went to sleep to wait for something.
    public var waits: Int

    public static var now: ProcessCost {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return ProcessCost(
            cpuSeconds: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9,
            waits: usage.ru_nvcsw
        )
    }

    public static func - (after: ProcessCost, before: ProcessCost) -> ProcessCost {
        ProcessCost(cpuSeconds: after.cpuSeconds - before.cpuSeconds, waits: after.waits - before.waits)
    }
}
