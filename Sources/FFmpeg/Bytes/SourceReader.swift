internal import MediaCore

/// A reader of a source for one demuxer. It waits for bytes that are not available: on a fiber if the call runs on one,
/// else on the thread.
///
/// It is confined to the demuxer's lane.
final class SourceReader {
    let source: any ByteSource
    let interruption: Interruption
    /// Whether the source has had no bytes at least once.
    private(set) var wasPending = false

    init(_ source: any ByteSource, _ interruption: Interruption) {
        self.source = source
        self.interruption = interruption
    }

    /// Reads up to `buffer.count` bytes and returns 0 at the end. Waits until bytes are available, and throws
    /// `.cancelled` if it is interrupted.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        let context = interruption.context
        while true {
            // A wake-up after this line ends the wait.
            let wakes = context.wakeCount
            if let count = try readIfAvailable(at: offset, into: buffer) { return count }
            // The owner of log lines belongs to the thread, and the call may resume on another one.
            guard LibraryLog.withoutOwner({ context.wait(after: wakes) }) else {
                interruption.markInterrupted()
                throw LibraryError.cancelled()
            }
        }
    }

    /// Reads like `read(at:into:)`, but returns nil if no bytes are available.
    func readIfAvailable(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError)
        -> Int?
    {
        if interruption.mustAbort() { throw LibraryError.cancelled() }
        do throws(MediaError) {
            let context = interruption.context
            guard let count = try source.readIfAvailable(at: offset, into: buffer, context: context) else {
                wasPending = true
                return nil
            }
            // A source that reports more bytes than requested must not cause reads beyond the buffer.
            let length = max(0, min(count, buffer.count))
            interruption.recordRead(byteCount: length)
            return length
        } catch {
            var error = error
            if error.code == .cancelled {
                if interruption.context.isInterrupted {
                    interruption.markInterrupted()
                } else {
                    // The cancellation did not come from this reader, so it is an error like any other.
                    error.code = .io
                }
            }
            throw error
        }
    }

    /// Reads up to `count` bytes. There are fewer only at the end of the file, and after an error.
    func bytes(at offset: Int64, count: Int) -> [UInt8] {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { bytes.deallocate() }
        var length = 0
        while length < count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[length...])
            guard let part = try? read(at: offset + Int64(length), into: rest), part > 0 else { break }
            length += part
        }
        return Array(bytes.prefix(length))
    }
}
