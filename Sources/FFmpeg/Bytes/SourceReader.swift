internal import MediaCore

/// Reads a source for one demuxer, and waits where it has nothing at hand: on a fiber if there is one, else on the thread.
///
/// Confined to the demuxer's lane.
final class SourceReader {
    let source: any ByteSource
    let interruption: Interruption
    /// Nothing is read ahead of libav: a read that finds nothing waits inside the call.
    var waitsInCalls: Bool { interruption.waitsInCalls }
    /// The source has said once that it was not ready.
    private(set) var wasNotReady = false

    init(_ source: any ByteSource, _ interruption: Interruption) {
        self.source = source
        self.interruption = interruption
    }

    /// Up to `buffer.count` bytes, 0 at the end. Waits until there are some, unless it is interrupted: then it
    /// throws `.cancelled`.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        let context = interruption.context
        while true {
            // A wake-up counts from here on.
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

    /// Waits for a wake-up: on no thread where the call has a fiber. True: the call is to come to nothing.
    private func wait(after wakes: UInt64) -> Bool {
        Fiber.wait(interruption.context, after: wakes)
    }

    /// The same, but throws `.notReady` where nothing is at hand.
    func readAvailable(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int
    {
        if interruption.mustAbort() { throw LibraryError.cancelled() }
        do throws(MediaError) {
            // A source that claims more than it was asked for must not make anybody read behind the buffer.
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
                    // Nobody here called it off, so nobody waits for it: it is a failure like any other.
                    error.code = .io
                }
            }
            throw error
        }
    }
}
