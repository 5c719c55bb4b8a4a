import Dispatch
import Foundation
public import MediaCore

/// A byte source with real bytes whose delivery a test controls: it can withhold ranges, limit reads and fail.
///
/// It serves any number of readers and counts what they do. All members can be used from any thread.
public final class ScriptedByteSource: ByteSource {
    /// The behavior of a read whose bytes are withheld.
    public enum Waiting: Hashable, Sendable {
        /// `read` blocks until the bytes are released or the reader is interrupted.
        case blocks
        /// `read` throws `notReady`, and the reader is woken when the bytes are released.
        case throwsNotReady
    }

    /// The number of operations that readers have performed.
    public struct Counts: Hashable, Sendable {
        /// The number of readers that have read at least once. Each demuxer is one reader.
        public var readers = 0
        /// The number of calls to `read`.
        public var reads = 0
        /// The number of bytes that were delivered.
        public var bytes = 0
        /// The number of reads whose bytes were withheld.
        public var waits = 0
        /// The number of waits that ended because the reader was interrupted or cancelled.
        public var interrupts = 0
        /// The number of calls to `cancel()`, which would end all reading of a real source permanently.
        public var cancels = 0
    }

    private struct State {
        var counts = Counts()
        var heldRanges: [Range<Int64>] = []
        var failingRanges: [(range: Range<Int64>, error: MediaError)] = []
        var readLimit: Int?
        /// The readers so far. They are retained so that no two of them have the same identity.
        var readers: [ReadContext] = []
        /// The closures that wake waiting readers when bytes are released.
        var wakes: [@Sendable () -> Void] = []
        var listeners: [Listener] = []
    }

    private struct Listener {
        let condition: @Sendable (Counts) -> Bool
        let resume: @Sendable () -> Void
    }

    private let bytes: [UInt8]
    private let state = Locked(State())
    private let waiting: Waiting
    public let isSeekable: Bool
    public let isLocal: Bool
    public var byteCount: Int64? { isSeekable ? Int64(bytes.count) : nil }

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to serve.
    ///   - waiting: The behavior of a read whose bytes are withheld.
    ///   - isSeekable: Whether the source can be read at any offset and reports its length.
    ///   - isLocal: Whether the source behaves like a local file. With false it behaves like a network resource.
    public init(
        _ bytes: [UInt8],
        waiting: Waiting = .blocks,
        isSeekable: Bool = true,
        isLocal: Bool = true
    ) {
        self.bytes = bytes
        self.waiting = waiting
        self.isSeekable = isSeekable
        self.isLocal = isLocal
    }

    /// Creates a source with the bytes of a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - waiting: The behavior of a read whose bytes are withheld.
    ///   - isLocal: Whether the source behaves like a local file.
    /// - Throws: An error if the file cannot be read.
    public convenience init(contentsOfFile path: String, waiting: Waiting = .blocks, isLocal: Bool = true)
        throws
    {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        self.init([UInt8](data), waiting: waiting, isLocal: isLocal)
    }

    // MARK: Controlling delivery

    /// The operations that readers have performed so far. Any thread may read it.
    public var counts: Counts { state.withLock { $0.counts } }

    /// Withholds a range of bytes. A read that begins before the range returns the bytes up to it.
    ///
    /// - Parameter range: The offsets of the bytes to withhold.
    public func hold(_ range: Range<Int64>) { state.withLock { $0.heldRanges.append(range) } }

    /// Withholds all bytes from an offset to the end.
    ///
    /// - Parameter offset: The offset of the first byte to withhold.
    public func hold(from offset: Int64) { hold(offset..<Int64.max) }

    /// Releases all bytes that are withheld and wakes the waiting readers.
    public func release() {
        let wakes = state.withLock { state in
            state.heldRanges = []
            defer { state.wakes = [] }
            return state.wakes
        }
        for wake in wakes { wake() }
    }

    /// Makes all reads that need a byte of a range fail.
    ///
    /// - Parameters:
    ///   - range: The offsets of the bytes that cannot be read.
    ///   - error: The error that these reads throw.
    public func fail(_ range: Range<Int64>, with error: MediaError) {
        state.withLock { $0.failingRanges.append((range, error)) }
    }

    /// Limits the number of bytes that a read returns.
    ///
    /// - Parameter byteCount: The limit, or nil for no limit.
    public func limitReads(to byteCount: Int?) { state.withLock { $0.readLimit = byteCount } }

    /// Returns once a condition holds, for example when a read is waiting or has been interrupted.
    ///
    /// - Parameter condition: The condition, which is checked after each change of the counts. It is called while an
    ///   internal lock is held.
    public func until(_ condition: @escaping @Sendable (Counts) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isSatisfied = state.withLock { state in
                if condition(state.counts) { return true }
                state.listeners.append(Listener(condition: condition) { continuation.resume() })
                return false
            }
            if isSatisfied { continuation.resume() }
        }
    }

    // MARK: ByteSource

    /// Reads bytes as a reader of its own.
    ///
    /// - Parameters:
    ///   - offset: The offset of the first byte.
    ///   - buffer: The memory to copy the bytes to.
    /// - Returns: The number of bytes copied, or 0 at the end.
    /// - Throws: The error of a failing range, or `notReady` if the bytes are withheld and the source does not block.
    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        try read(at: offset, into: buffer, context: ReadContext())
    }

    /// Reads bytes, unless the test withholds them or makes the read fail.
    ///
    /// - Throws: The error of a range that fails; `MediaError` with the code `.notReady` if the bytes are withheld and the
    ///   source does not block, and with the code `.cancelled` if the wait for them was interrupted.
    public func read(
        at offset: Int64,
        into buffer: UnsafeMutableRawBufferPointer,
        context: ReadContext
    ) throws(MediaError) -> Int {
        let semaphore = DispatchSemaphore(value: 0)
        let wake: @Sendable () -> Void =
            switch waiting {
            case .blocks: { semaphore.signal() }
            case .throwsNotReady: { [weak context] in context?.wake() }
            }
        count(context)
        while true {
            if let count = try copyBytes(at: offset, into: buffer, else: wake) { return count }
            guard waiting == .blocks else {
                throw .waiting(for: "bytes withheld by the test", location: nil)
            }
            context.whileWaiting(
                onInterrupt: { semaphore.signal() },
                wait: {
                    change { $0.waits += 1 }
                    semaphore.wait()
                }
            )
            guard !context.isInterrupted else {
                change { $0.interrupts += 1 }
                throw MediaError(.cancelled, "the read was interrupted")
            }
        }
    }

    /// Counts the call. Reading continues to work.
    public func cancel() { change { $0.cancels += 1 } }

    private func count(_ context: ReadContext) {
        state.withLock { state in
            state.counts.reads += 1
            guard !state.readers.contains(where: { $0 === context }) else { return }
            state.readers.append(context)
            state.counts.readers += 1
        }
    }

    /// Copies available bytes. Returns nil if they are withheld; `wake` is then called when they are released.
    private func copyBytes(
        at offset: Int64,
        into buffer: UnsafeMutableRawBufferPointer,
        else wake: @escaping @Sendable () -> Void
    ) throws(MediaError) -> Int? {
        let size = Int64(bytes.count)
        guard offset >= 0, offset < size, !buffer.isEmpty else { return 0 }
        let end = try state.withLock { state throws(MediaError) -> Int64? in
            var end = min(size, offset + Int64(min(buffer.count, state.readLimit ?? .max)))
            for (range, error) in state.failingRanges where range.overlaps(offset..<end) { throw error }
            // The read ends before the first withheld byte.
            for range in state.heldRanges where range.overlaps(offset..<end) {
                end = min(end, range.lowerBound)
            }
            guard end > offset else {
                state.wakes.append(wake)
                return nil
            }
            state.counts.bytes += Int(end - offset)
            return end
        }
        guard let end else {
            if waiting == .throwsNotReady { change { $0.waits += 1 } }
            return nil
        }
        let part = bytes[Int(offset)..<Int(end)]
        buffer.copyBytes(from: part)
        return part.count
    }

    /// Changes the counts and resumes the tasks whose condition is now satisfied.
    private func change(_ body: (inout Counts) -> Void) {
        let listeners = state.withLock { state in
            body(&state.counts)
            let counts = state.counts
            let satisfied = state.listeners.filter { $0.condition(counts) }
            state.listeners.removeAll { $0.condition(counts) }
            return satisfied
        }
        for listener in listeners { listener.resume() }
    }
}
