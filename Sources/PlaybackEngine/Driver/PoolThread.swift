internal import Glibc

/// What a `LanePool` has to know of threads, and how it wakes one.
enum PoolThread {
    /// Nanoseconds of the machine's monotonic clock, which `SystemClock` reads too.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// The kernel's number of the calling thread; 0 where it does not tell. (Swift's Glibc has no `gettid`.)
    static var currentID: Int32 {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            let count = readlink("/proc/thread-self", start, buffer.count)
            // "PROCESS/task/THREAD"
            let digits = buffer.prefix(max(0, count)).reversed().prefix { $0 != CChar(UInt8(ascii: "/")) }
            return digits.reversed().reduce(0) { $0 &* 10 &+ Int32($1) &- 48 }
        }
    }

    /// Whether a thread of this process sleeps inside the kernel: it waits for a device, a lock or another
    /// thread. One that wants to run and has no core does not sleep. Where the kernel does not tell, true.
    static func isAsleep(_ id: Int32) -> Bool {
        let file = open("/proc/self/task/\(id)/stat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return true }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { buffer in
            let count = read(file, buffer.baseAddress, buffer.count)
            // "ID (NAME) STATE …"; a name of ours has no parenthesis.
            let bytes = buffer.prefix(max(0, count))
            guard let end = bytes.firstIndex(of: UInt8(ascii: ")")), end + 2 < bytes.endIndex else {
                return true
            }
            return bytes[end + 2] != UInt8(ascii: "R")
        }
    }
}
