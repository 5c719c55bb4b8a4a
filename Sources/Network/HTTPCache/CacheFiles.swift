internal import Glibc

/// The file operations of a cache. Tests replace them to inject faults.
///
/// Paths are absolute. Each opened file must be closed with `close`. All operations may block.
protocol CacheFiles: Sendable {
    /// Creates a folder and its parents. An existing folder is not an error.
    func makeFolder(_ path: String) throws(CacheFault)
    /// Opens a file and returns its descriptor.
    func open(_ path: String, writable: Bool, creates: Bool) throws(CacheFault) -> Int32
    /// Closes a file, which releases its lock.
    func close(_ file: Int32)
    /// Reads bytes. Returns fewer than `count` only at the end of the file.
    func read(_ file: Int32, count: Int, at offset: Int64) throws(CacheFault) -> [UInt8]
    /// Writes all bytes at an offset.
    func write(_ bytes: ArraySlice<UInt8>, to file: Int32, at offset: Int64) throws(CacheFault)
    /// Renames a file. Replaces an existing one.
    func rename(_ path: String, to other: String) throws(CacheFault)
    /// Removes a file. A missing file is not an error.
    func remove(_ path: String) throws(CacheFault)
    /// Returns the names in a folder, in no particular order.
    func list(_ path: String) throws(CacheFault) -> [String]
    /// Returns the size and age of an open file.
    func status(_ file: Int32) throws(CacheFault) -> CacheFileStatus
    /// Sets the time of the last use to now.
    func touch(_ file: Int32) throws(CacheFault)
    /// Locks a file against other processes until it is closed. Returns false if another process holds the lock and
    /// `waits` is false.
    func lock(_ file: Int32, isExclusive: Bool, waits: Bool) throws(CacheFault) -> Bool
}
