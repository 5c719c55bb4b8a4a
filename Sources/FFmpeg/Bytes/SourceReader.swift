internal import MediaCore

/// A reader of a source for one demuxer. It waits for bytes that are not available: on a fiber if the call runs on one,
/// else on the thread.
///
/// It is confined to the demuxer's lane.
final class SourceReader {
    let source: any ByteSource
    let interruption: Interruption
    /// Whether reads wait inside libav's calls, so that nothing is read ahead of libav.
    var usesBlockingReads: Bool { interruption.usesBlockingReads }
    /// Whether the source has thrown `.notReady` at least once.
    private(set) var wasNotReady = false

    init(_ source: any ByteSource, _ interruption: Interruption) {
        self.source = source
        self.interruption = interruption
    }

    /// Reads up to `buffer.count` bytes and returns 0 at the end. Waits until bytes are available, and throws
    /// `.cancelled` if it is interrupted.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        let context = interruption.context
        while true {
            // A wake-up after this point ends the wait below.
            let wakes = context.wakeCount
            do throws(MediaError) {
                return try readAvailable(at: offset, into: buffer)
            } catch {
                guard error.code == .notReady else { throw error }
            }
            if wait(after: wakes) || context.isInterrupted {
                interruption.markInterrupted()
                throw LibraryError.cancelled()
            }
        }
    }

    /// Waits for a wake-up, without occupying a thread if the call runs on a fiber. Returns true if the call must be
    /// abandoned.
    private func wait(after wakes: UInt64) -> Bool {
        Fiber.wait(interruption.context, after: wakes)
    }

    /// Reads like `read(at:into:)`, but throws `.notReady` if no bytes are available.
    func readAvailable(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int
    {
        if interruption.mustAbort() { throw LibraryError.cancelled() }
        do throws(MediaError) {
            // A source that reports more bytes than requested must not cause reads beyond the buffer.
            let count = try source.read(at: offset, into: buffer, context: interruption.context)
            let length = max(0, min(count, buffer.count))
            interruption.recordRead(byteCount: length)
            return length
        } catch {
            var error = error
            if error.code == .notReady { wasNotReady = true }
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
}
