internal import Glibc

/// What the system refused of a cache's files.
struct CacheFault: Error, Hashable {
    /// `errno`.
    var code: Int32
}
