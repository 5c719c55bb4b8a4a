import Glibc

@testable import Network

/// A cache folder in memory: one index, and one data file that contains zeros.
struct InputCacheFiles: CacheFiles {
    let index: [UInt8]

    private static let indexFile: Int32 = 1
    private static let dataFile: Int32 = 2
    private static let dataSize: Int64 = 1 << 20

    func makeFolder(_ path: String) {}

    func open(_ path: String, writable: Bool, creates: Bool) throws(CacheFault) -> Int32 {
        path.hasSuffix(".index") ? Self.indexFile : Self.dataFile
    }

    func close(_ file: Int32) {}

    func read(_ file: Int32, count: Int, at offset: Int64) throws(CacheFault) -> [UInt8] {
        guard count >= 0, offset >= 0 else { throw CacheFault(code: EINVAL) }
        if file == Self.indexFile { return Array(index.dropFirst(Int(offset)).prefix(count)) }
        return [UInt8](repeating: 0, count: Int(min(Int64(count), max(0, Self.dataSize - offset))))
    }

    func write(_ bytes: ArraySlice<UInt8>, to file: Int32, at offset: Int64) {}
    func rename(_ path: String, to other: String) {}
    func remove(_ path: String) {}
    func list(_ path: String) -> [String] { [] }

    func status(_ file: Int32) -> CacheFileStatus {
        let size = file == Self.indexFile ? Int64(index.count) : Self.dataSize
        return CacheFileStatus(size: size, usedBytes: size, time: 0, isLinked: true)
    }

    func touch(_ file: Int32) {}
    func lock(_ file: Int32, isExclusive: Bool, waits: Bool) -> Bool { true }
}
