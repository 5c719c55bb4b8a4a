internal import Glibc

/// The size and age of a cache file.
struct CacheFileStatus: Hashable, Sendable {
    /// The length in bytes. A sparse file uses less space on the disk.
    var size: Int64
    /// The space that the file uses on the disk, in bytes.
    var usedBytes: Int64
    /// The time of the last use, in nanoseconds.
    var time: Int64
    /// Whether the file still has a name.
    var isLinked: Bool
}
