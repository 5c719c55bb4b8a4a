import Glibc

/// What identifies the contents of a file as long as nobody writes to it: its size, its time and its node.
struct FileStamp: Hashable, Sendable {
    let byteCount: Int64
    /// The time of the last change in nanoseconds since 1970.
    let changeTime: Int64
    let node: UInt64

    init(byteCount: Int64, changeTime: Int64, node: UInt64 = 0) {
        self.byteCount = byteCount
        self.changeTime = changeTime
        self.node = node
    }

    init(_ status: stat) {
        byteCount = Int64(status.st_size)
        let (nanoseconds, overflow) = Int64(status.st_mtim.tv_sec)
            .multipliedReportingOverflow(by: 1_000_000_000)
        changeTime = overflow ? .max : nanoseconds &+ Int64(status.st_mtim.tv_nsec)
        node = UInt64(status.st_ino)
    }
}
