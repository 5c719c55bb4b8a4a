internal import Glibc

/// The calls by which a cache touches its disk. Tests put others in their place, which fail where a test says.
///
/// Paths are absolute. What is opened is closed by `close`. All of them may block as a disk does.
protocol CacheFiles: Sendable {
    /// With what lies above it. No fault where it is there already.
    func makeFolder(_ path: String) throws(CacheFault)
    func open(_ path: String, writable: Bool, creates: Bool) throws(CacheFault) -> Int32
    func close(_ file: Int32)
    /// Fewer than asked only at the end.
    func read(_ file: Int32, count: Int, at offset: Int64) throws(CacheFault) -> [UInt8]
    func write(_ bytes: ArraySlice<UInt8>, to file: Int32, at offset: Int64) throws(CacheFault)
    func rename(_ path: String, to other: String) throws(CacheFault)
    func remove(_ path: String) throws(CacheFault)
    /// Names, in no order.
    func list(_ path: String) throws(CacheFault) -> [String]
    func status(_ file: Int32) throws(CacheFault) -> CacheFileStatus
    /// It was used just now.
    func touch(_ file: Int32) throws(CacheFault)
    /// A lock that other processes see, until the file is closed. False: somebody else has it. `waits`: until nobody has.
    func lock(_ file: Int32, isExclusive: Bool, waits: Bool) throws(CacheFault) -> Bool
}
