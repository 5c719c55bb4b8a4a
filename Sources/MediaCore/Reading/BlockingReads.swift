internal import Glibc

/// Reads from sources that do not use a `ReadContext`.
///
/// Their reads block, and only `cancel()` ends one: for all readers, and permanently. This type counts the readers of
/// each source, so that `cancel()` is called only after the last one has been closed.
enum BlockingReads {
    private struct Use {
        var readers: Set<ObjectIdentifier> = []
        /// The number of calls that are running or waiting for `gate`.
        var calls = 0
        /// Serializes the calls, because such a source receives one call at a time.
        let gate = Locked(())
    }

    /// The readers and calls of each source. Readers retain their source, so its identity is unique while it is
    /// listed.
    private static let uses = Locked<[ObjectIdentifier: Use]>([:])
    /// The time in milliseconds after which a source that was not ready is asked again. Such a source cannot report
    /// readiness.
    private static let retryInterval: Int32 = 10

    static func register(_ source: any ByteSource, _ reader: ObjectIdentifier) {
        _ = uses.withLock { $0[ObjectIdentifier(source), default: Use()].readers.insert(reader) }
    }

    static func unregister(_ source: any ByteSource, _ reader: ObjectIdentifier) {
        let hasOrphanedCall = uses.withLock { uses in
            guard var use = uses[ObjectIdentifier(source)] else { return false }
            use.readers.remove(reader)
            let isUnused = use.readers.isEmpty && use.calls == 0
            uses[ObjectIdentifier(source)] = isUnused ? nil : use
            return use.readers.isEmpty && use.calls > 0
        }
        if hasOrphanedCall { source.cancel() }
    }

    static func read(
        _ source: any ByteSource,
        at offset: Int64,
        into buffer: UnsafeMutableRawBufferPointer,
        _ context: ReadContext
    ) throws(MediaError) -> Int {
        guard context.register(source) else { throw cancelled }
        while true {
            let count = try MediaError.nilIfWaiting { () throws(MediaError) in
                try readOnce(source, at: offset, into: buffer, context)
            }
            if let count { return count }
            context.whileWaiting(onInterrupt: {}, wait: { _ = poll(nil, 0, retryInterval) })
            guard !context.isInterrupted else { throw cancelled }
        }
    }

    private static func readOnce(
        _ source: any ByteSource,
        at offset: Int64,
        into buffer: UnsafeMutableRawBufferPointer,
        _ context: ReadContext
    ) throws(MediaError) -> Int {
        let gate = uses.withLock { uses -> Locked<Void>? in
            // A reader that was closed meanwhile must not start a call, because nothing would end it.
            guard uses[ObjectIdentifier(source)]?.readers.contains(ObjectIdentifier(context)) == true
            else { return nil }
            uses[ObjectIdentifier(source)]?.calls += 1
            return uses[ObjectIdentifier(source)]?.gate
        }
        guard let gate else { throw cancelled }
        defer { endCall(of: source) }
        return try gate.withLock { _ throws(MediaError) in
            guard !context.isCancelled else { throw cancelled }
            return try source.read(at: offset, into: buffer)
        }
    }

    private static func endCall(of source: any ByteSource) {
        uses.withLock { uses in
            uses[ObjectIdentifier(source)]?.calls -= 1
            guard let use = uses[ObjectIdentifier(source)], use.readers.isEmpty, use.calls == 0 else {
                return
            }
            uses[ObjectIdentifier(source)] = nil
        }
    }

    private static var cancelled: MediaError { MediaError(.cancelled, "the read was interrupted") }
}
