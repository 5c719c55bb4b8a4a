import Dispatch
import Foundation
public import MediaCore

/// Real bytes that come as a test says: held back from a place on, slowly, or not at all. It serves any number
/// of readers and counts what they do. Any thread.
public final class ScriptedByteSource: ByteSource {
    /// What a reader finds where bytes are held back.
    public enum Waiting: Hashable, Sendable {
        /// `read` blocks until the bytes are let go, or its reader is interrupted.
        case blocks
        /// `read` throws `.notReady`, and the reader is woken when the bytes are let go.
        case saysNotReady
    }

    /// What readers have done so far.
    public struct Counts: Hashable, Sendable {
        /// Readers that have read at least once: one for each demuxer.
        public var readers = 0
        /// Calls of `read`.
        public var reads = 0
        /// Bytes that were handed out.
        public var bytes = 0
        /// Reads that found their bytes held back.
        public var waits = 0
        /// Waits that ended because the reader was interrupted or cancelled.
        public var interrupts = 0
        /// Calls of `cancel()`, which would end all reading for good.
        public var cancels = 0
    }

    private struct State {
        var counts = Counts()
        var held: [Range<Int64>] = []
        var failing: [(range: Range<Int64>, error: MediaError)] = []
        var speed: Int?
        /// Held, so that no two of them ever look the same.
        var readers: [ReadContext] = []
        /// Readers that wait for bytes: what to call when some are let go.
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

    /// Serves `bytes`. `waiting` says what a reader finds where `hold` keeps some back; `isLocal` false: as
    /// if they came over a network.
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

    /// All bytes of a file.
    public convenience init(contentsOfFile path: String, waiting: Waiting = .blocks, isLocal: Bool = true)
        throws
    {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        self.init([UInt8](data), waiting: waiting, isLocal: isLocal)
    }

    // MARK: The script

    /// What readers have done up to now. Any thread.
    public var counts: Counts { state.withLock { $0.counts } }

    /// Reads that need a byte of `range` find nothing from now on. Bytes before it are still read.
    public func hold(_ range: Range<Int64>) { state.withLock { $0.held.append(range) } }

    /// Everything from `offset` on.
    public func hold(from offset: Int64) { hold(offset..<Int64.max) }

    /// Lets all bytes go that are held back, and wakes who waits.
    public func release() {
        let wakes = state.withLock { state in
            state.held = []
            defer { state.wakes = [] }
            return state.wakes
        }
        for wake in wakes { wake() }
    }

    /// Reads that need a byte of `range` fail from now on.
    public func fail(_ range: Range<Int64>, with error: MediaError) {
        state.withLock { $0.failing.append((range, error)) }
    }

    /// From now on a read gives at most so many bytes; nil: as many as are asked for.
    public func limitReads(to byteCount: Int?) { state.withLock { $0.speed = byteCount } }

    /// Returns when `condition` holds: a test waits until a read hangs, or until it has been interrupted.
    public func until(_ condition: @escaping @Sendable (Counts) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if condition(state.counts) { return true }
                state.listeners.append(Listener(condition: condition) { continuation.resume() })
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    // MARK: ByteSource

    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        try read(at: offset, into: buffer, context: ReadContext())
    }

    public func read(
        at offset: Int64,
        into buffer: UnsafeMutableRawBufferPointer,
        context: ReadContext
    ) throws(MediaError) -> Int {
        let semaphore = DispatchSemaphore(value: 0)
        let wake: @Sendable () -> Void =
            switch waiting {
            case .blocks: { semaphore.signal() }
            case .saysNotReady: { [weak context] in context?.wake() }
            }
        count(context)
        while true {
            if let count = try take(at: offset, into: buffer, else: wake) { return count }
            guard waiting == .blocks else {
                throw MediaError(.notReady, "the script holds the bytes back", isRetryable: true)
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

    public func cancel() { change { $0.cancels += 1 } }

    private func count(_ context: ReadContext) {
        state.withLock { state in
            state.counts.reads += 1
            guard !state.readers.contains(where: { $0 === context }) else { return }
            state.readers.append(context)
            state.counts.readers += 1
        }
    }

    /// Copies what is there; nil where it is held back, and then `wake` is called when that is over.
    private func take(
        at offset: Int64,
        into buffer: UnsafeMutableRawBufferPointer,
        else wake: @escaping @Sendable () -> Void
    ) throws(MediaError) -> Int? {
        let size = Int64(bytes.count)
        guard offset >= 0, offset < size, !buffer.isEmpty else { return 0 }
        let end = try state.withLock { state throws(MediaError) -> Int64? in
            var end = min(size, offset + Int64(min(buffer.count, state.speed ?? .max)))
            for (range, error) in state.failing where range.overlaps(offset..<end) { throw error }
            // Up to where the first bytes are held back.
            for range in state.held where range.overlaps(offset..<end) { end = min(end, range.lowerBound) }
            guard end > offset else {
                state.wakes.append(wake)
                return nil
            }
            state.counts.bytes += Int(end - offset)
            return end
        }
        guard let end else {
            if waiting == .saysNotReady { change { $0.waits += 1 } }
            return nil
        }
        let part = bytes[Int(offset)..<Int(end)]
        buffer.copyBytes(from: part)
        return part.count
    }

    /// Counts, and lets those go on who waited for it.
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
