internal import Glibc

/// A failed system call on a file of the cache.
struct CacheFault: Error, Hashable {
    /// The value of `errno`.
    var code: Int32
}
