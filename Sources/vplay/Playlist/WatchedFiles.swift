/// Decides which files of a watched folder are complete. It knows nothing of the file system and has no clock: scans and
/// times are passed in.
struct WatchedFiles: Sendable {
    /// What has changed between two scans, in terms of complete files.
    struct Changes: Sendable {
        /// The files that are complete now, sorted. A file whose contents have changed is in both lists.
        var joined: [FolderScan.File] = []
        /// The paths of the files that have disappeared or changed.
        var left: Set<[UInt8]> = []

        var isEmpty: Bool { joined.isEmpty && left.isEmpty }
    }

    private struct Known {
        var stamp: FileStamp
        /// The time at which the stamp was first seen, in nanoseconds.
        var since: Int64
        var isComplete = false
    }

    /// The time in nanoseconds for which a file must not change before it is complete.
    static let settlingTime: Int64 = 2_000_000_000
    /// The same for a file that a program has been seen to write, and not to close.
    static let openSettlingTime: Int64 = 30_000_000_000

    private var files: [[UInt8]: Known] = [:]
    /// The paths of files that a program is writing.
    private var written: Set<[UInt8]> = []
    /// The paths of files that have been renamed since the last scan.
    private var renamed: Set<[UInt8]> = []
    /// The time of the next scan that may find a file complete, or nil if none is incomplete.
    private(set) var nextTime: Int64?

    /// Notes that a program has written to a file, or has closed it.
    mutating func noteWriting(_ path: [UInt8], isClosed: Bool) {
        if isClosed { written.remove(path) } else { written.insert(path) }
    }

    /// Notes that a file has been renamed into the folder, and is complete: it had another name while it was written.
    mutating func noteRenamed(_ path: [UInt8]) {
        written.remove(path)
        renamed.insert(path)
    }

    /// Compares a scan with what is known.
    ///
    /// - Parameters:
    ///   - scan: The files at present.
    ///   - time: The present time in nanoseconds, of a clock that never goes back.
    ///   - date: The present time in nanoseconds since 1970. A file that was not changed for long is complete when it is
    ///     seen for the first time.
    mutating func update(_ scan: [FolderScan.File], at time: Int64, date: Int64) -> Changes {
        var changes = Changes()
        var present: [[UInt8]: Known] = [:]
        nextTime = nil
        for file in scan {
            var known: Known
            if let old = files[file.path], old.stamp == file.stamp {
                known = old
            } else {
                if files[file.path]?.isComplete ?? false { changes.left.insert(file.path) }
                let (age, overflow) = date.subtractingReportingOverflow(file.stamp.changeTime)
                let isOld = files[file.path] == nil && !overflow && age >= Self.settlingTime
                let isWhole = isOld || renamed.contains(file.path)
                known = Known(stamp: file.stamp, since: isWhole ? time - Self.settlingTime : time)
            }
            if !known.isComplete {
                let needed = written.contains(file.path) ? Self.openSettlingTime : Self.settlingTime
                if time - known.since >= needed, file.stamp.byteCount > 0 {
                    known.isComplete = true
                    written.remove(file.path)
                    changes.joined.append(file)
                } else if file.stamp.byteCount > 0 {
                    nextTime = min(nextTime ?? .max, known.since + needed)
                }
            }
            present[file.path] = known
        }
        for (path, known) in files where present[path] == nil && known.isComplete {
            changes.left.insert(path)
        }
        files = present
        written.formIntersection(present.keys)
        renamed = []
        return changes
    }
}
