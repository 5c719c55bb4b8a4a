import Foundation
import MediaCore

@testable import Network

/// The files of the system, with injected faults.
final class FaultyFiles: CacheFiles {
    enum Fault: Sendable {
        case none
        /// All changing calls from this number on fail.
        case refuses(from: Int, code: Int32)
        /// A single changing call fails.
        case refusesOnce(at: Int, code: Int32)
        /// The process ends at this call: a write is only half done, and later calls change nothing.
        case ends(at: Int)
    }

    private struct State {
        var fault: Fault
        var changes = 0
    }

    private let state: Locked<State>
    private let listCount = Locked(0)
    private let system = SystemCacheFiles()

    init(_ fault: Fault = .none) { state = Locked(State(fault: fault)) }

    /// The number of calls so far that change a file.
    var changes: Int { state.withLock { $0.changes } }

    /// The number of calls so far that list a folder.
    var lists: Int { listCount.withLock { $0 } }

    func set(_ fault: Fault) {
        state.withLock { state in
            state.fault = fault
            state.changes = 0
        }
    }

    /// Counts a changing call. Returns true if only half of it may be done.
    @discardableResult
    private func change() throws(CacheFault) -> Bool {
        let (number, fault) = state.withLock { state in
            state.changes += 1
            return (state.changes, state.fault)
        }
        switch fault {
        case .refuses(let from, let code) where number >= from: throw CacheFault(code: code)
        case .refusesOnce(let at, let code) where number == at: throw CacheFault(code: code)
        case .ends(let at) where number == at: return true
        case .ends(let at) where number > at: throw CacheFault(code: EIO)
        case .none, .refuses, .refusesOnce, .ends: return false
        }
    }

    private func whole() throws(CacheFault) {
        if try change() { throw CacheFault(code: EIO) }
    }

    func makeFolder(_ path: String) throws(CacheFault) {
        try whole()
        try system.makeFolder(path)
    }

    func open(_ path: String, writable: Bool, creates: Bool) throws(CacheFault) -> Int32 {
        if writable { try whole() }
        return try system.open(path, writable: writable, creates: creates)
    }

    func close(_ file: Int32) { system.close(file) }

    func read(_ file: Int32, count: Int, at offset: Int64) throws(CacheFault) -> [UInt8] {
        try system.read(file, count: count, at: offset)
    }

    func write(_ bytes: ArraySlice<UInt8>, to file: Int32, at offset: Int64) throws(CacheFault) {
        guard try change() else { return try system.write(bytes, to: file, at: offset) }
        try system.write(bytes.prefix(bytes.count / 2), to: file, at: offset)
        throw CacheFault(code: EIO)
    }

    func rename(_ path: String, to other: String) throws(CacheFault) {
        try whole()
        try system.rename(path, to: other)
    }

    func remove(_ path: String) throws(CacheFault) {
        try whole()
        try system.remove(path)
    }

    func list(_ path: String) throws(CacheFault) -> [String] {
        listCount.withLock { $0 += 1 }
        return try system.list(path)
    }
    func status(_ file: Int32) throws(CacheFault) -> CacheFileStatus { try system.status(file) }
    func touch(_ file: Int32) throws(CacheFault) { try whole() }

    func lock(_ file: Int32, isExclusive: Bool, waits: Bool) throws(CacheFault) -> Bool {
        try system.lock(file, isExclusive: isExclusive, waits: waits)
    }
}
