internal import Glibc

/// Functions of the operating system that a `LanePool` needs to observe threads.
enum PoolThread {
    /// The time of the machine's monotonic clock in nanoseconds. `SystemClock` reads the same clock.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// The kernel's identifier of the calling thread, or 0 if it is unknown. (Swift's Glibc has no `gettid`.)
    static var currentID: Int32 {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            let count = readlink("/proc/thread-self", start, buffer.count)
            // The link's target is "PROCESS/task/THREAD".
            let digits = buffer.prefix(max(0, count)).reversed().prefix { $0 != CChar(UInt8(ascii: "/")) }
            return digits.reversed().reduce(0) { $0 &* 10 &+ Int32($1) &- 48 }
        }
    }

    /// Returns whether a thread of this process sleeps in the kernel, waiting for a device, a lock or another thread.
    /// A runnable thread without a core does not sleep. Returns true if the kernel does not provide the state.
    static func isAsleep(_ id: Int32) -> Bool {
        let file = open("/proc/self/task/\(id)/stat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return true }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { buffer in
            let count = read(file, buffer.baseAddress, buffer.count)
            // The file contains "ID (NAME) STATE …"; the names of the pool's threads contain no parenthesis.
            let bytes = buffer.prefix(max(0, count))
            guard let end = bytes.firstIndex(of: UInt8(ascii: ")")), end + 2 < bytes.endIndex else {
                return true
            }
            return bytes[end + 2] != UInt8(ascii: "R")
        }
    }
}
