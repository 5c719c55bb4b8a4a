internal import Glibc

struct CacheFileStatus: Hashable, Sendable {
    /// Bytes; of which a file with holes takes fewer from the disk.
    var size: Int64
    var usedBytes: Int64
    /// Nanoseconds; of the last use.
    var time: Int64
    /// False: it is in no folder any more.
    var isLinked: Bool
}
