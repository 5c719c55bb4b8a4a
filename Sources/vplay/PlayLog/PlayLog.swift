import DequeModule
import Dispatch
import Synchronization

/// The play log: a line for each pass, written in the background. No call waits for the disk.
///
/// Lines that cannot be written are kept, up to `maximumPendingCount`, and written when that is possible again. The
/// disk is synchronized at most once in `syncInterval` and at the end.
final class PlayLog: Sendable {
    /// The number of lines that are kept while they cannot be written.
    static let maximumPendingCount = 1000
    static let syncInterval = DispatchTimeInterval.seconds(5)
    static let retryInterval = DispatchTimeInterval.seconds(10)
    /// The time for which the end of the command waits for the disk.
    private static let closingInterval = DispatchTimeInterval.seconds(2)

    private struct Pending: Sendable {
        var lines: Deque<[UInt8]> = []
        var lostCount = 0
    }
    private struct Writer: Sendable {
        var file: PlayLogFile
        var hasFailed = false
        var isSyncScheduled = false
        var isRetryScheduled = false
    }
    private let pending = Mutex(Pending())
    /// Used on `queue` only.
    private let writer: Mutex<Writer>
    private let queue = DispatchQueue(label: "vplay.playlog", qos: .utility)
    private let path: String
    private let report: @Sendable (String) -> Void

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - file: The file. It is opened in the background.
    ///   - report: Receives a message when lines cannot be written, and when they can again; on a private queue.
    init(_ file: PlayLogFile, report: @escaping @Sendable (String) -> Void) {
        path = file.path
        writer = Mutex(Writer(file: file))
        self.report = report
        queue.async { self.drain() }
    }

    /// Adds a line. Returns at once.
    func append(_ record: PassRecord) {
        let line = record.line
        pending.withLock { pending in
            if pending.lines.count == Self.maximumPendingCount {
                pending.lines.removeFirst()
                pending.lostCount += 1
            }
            pending.lines.append(line)
        }
        queue.async { self.drain() }
    }

    /// Writes the lines that are pending, and closes the file. A disk that hangs is not waited for.
    func close() async {
        await withCheckedContinuation { continuation in
            let isDone = Once()
            queue.async { [self] in
                drain()
                attempt { writer throws(PlayLogError) in
                    defer { writer.file.close() }
                    try writer.file.sync()
                }
                if isDone.claim() { continuation.resume() }
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.closingInterval) {
                if isDone.claim() { continuation.resume() }
            }
        }
    }

    private func drain() {
        guard attempt({ writer throws(PlayLogError) in try writer.file.open() }) else { return retryLater() }
        while let line = pending.withLock({ $0.lines.popFirst() }) {
            guard attempt({ writer throws(PlayLogError) in try writer.file.append(line) }) else {
                pending.withLock { pending in
                    // A line that was added meanwhile may have taken the place of the oldest one.
                    if pending.lines.count < Self.maximumPendingCount {
                        pending.lines.prepend(line)
                    } else {
                        pending.lostCount += 1
                    }
                }
                return retryLater()
            }
        }
        let hadFailed = writer.withLock { writer in
            defer { writer.hasFailed = false }
            return writer.hasFailed
        }
        if hadFailed {
            let lost = pending.withLock { pending in
                defer { pending.lostCount = 0 }
                return pending.lostCount
            }
            report("play log \(path): written again" + (lost > 0 ? "; \(lost) lines were lost" : ""))
        }
        syncLater()
    }

    /// Runs a call on the file. The first failure in a row is reported.
    @discardableResult
    private func attempt(_ body: (inout Writer) throws(PlayLogError) -> Void) -> Bool {
        let failure = writer.withLock { writer -> (error: PlayLogError, isFirst: Bool)? in
            do throws(PlayLogError) {
                try body(&writer)
                return nil
            } catch {
                defer { writer.hasFailed = true }
                return (error, !writer.hasFailed)
            }
        }
        if let failure, failure.isFirst { report("cannot write the play log \(path): \(failure.error)") }
        return failure == nil
    }

    private func retryLater() {
        let isFirst = writer.withLock { writer in
            defer { writer.isRetryScheduled = true }
            return !writer.isRetryScheduled
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + Self.retryInterval) { [weak self] in
            guard let self else { return }
            writer.withLock { $0.isRetryScheduled = false }
            drain()
        }
    }

    private func syncLater() {
        let isFirst = writer.withLock { writer in
            guard writer.file.needsSync, !writer.isSyncScheduled else { return false }
            writer.isSyncScheduled = true
            return true
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + Self.syncInterval) { [weak self] in
            guard let self else { return }
            writer.withLock { $0.isSyncScheduled = false }
            attempt { writer throws(PlayLogError) in try writer.file.sync() }
        }
    }
}
