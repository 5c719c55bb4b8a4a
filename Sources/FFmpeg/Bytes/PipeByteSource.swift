internal import Glibc
package import MediaCore
internal import Synchronization

/// Standard input, or any other descriptor that can only be read forward.
package final class PipeByteSource: ByteSource {
    private let descriptor: Int32
    /// A pipe whose read end becomes readable when a wait must end. Both ends are -1 if no pipe could be created; waits
    /// then poll 20 times per second.
    private let wakeUp: (read: Int32, write: Int32)
    private let isCancelled = Atomic<Bool>(false)
    /// The number of bytes read so far, which is the only offset that can be read next.
    private let position = Locked<Int64>(0)

    package var byteCount: Int64? { nil }
    package var isSeekable: Bool { false }

    /// Creates a source. The caller keeps ownership of the descriptor, which is not closed.
    package init(descriptor: Int32 = 0) {
        self.descriptor = descriptor
        var ends: [Int32] = [-1, -1]
        if pipe(&ends) != 0 { ends = [-1, -1] }
        for end in ends where end >= 0 {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        self.wakeUp = (ends[0], ends[1])
    }

    deinit {
        if wakeUp.read >= 0 { close(wakeUp.read) }
        if wakeUp.write >= 0 { close(wakeUp.write) }
    }

    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int
    {
        try read(at: offset, into: buffer, context: ReadContext())
    }

    /// Reads bytes. An interrupted call consumes nothing from the pipe, so the next call continues at the same offset.
    package func read(
        at offset: Int64,
        into buffer: UnsafeMutableRawBufferPointer,
        context: ReadContext
    ) throws(MediaError) -> Int {
        guard let base = buffer.baseAddress, !buffer.isEmpty else { return 0 }
        guard position.withLock({ $0 == offset }) else {
            throw MediaError(.notSeekable, "not seekable: a pipe can only be read forward", location: "-")
        }
        while true {
            try waitUntilReadable(context)
            let count = Glibc.read(descriptor, base, buffer.count)
            if count >= 0 {
                position.withLock { $0 &+= Int64(count) }
                return count
            }
            if errno != EINTR && errno != EAGAIN {
                throw FileByteSource.failure(errno, "cannot read the pipe", "-")
            }
        }
    }

    private func waitUntilReadable(_ context: ReadContext) throws(MediaError) {
        try throwIfInterrupted(context)
        if try isReadable(within: 0) { return }
        try context.whileWaiting(
            onInterrupt: { self.endWait() },
            wait: { () throws(MediaError) in
                while true {
                    // The order drain, check, wait ensures that no wake-up is missed.
                    drainWakeUp()
                    try throwIfInterrupted(context)
                    if try isReadable(within: wakeUp.read >= 0 ? -1 : 50) { return }
                }
            }
        )
    }

    /// Waits until the descriptor is readable or the wait is ended, for up to `timeout` milliseconds; -1 waits
    /// indefinitely.
    private func isReadable(within timeout: Int32) throws(MediaError) -> Bool {
        var polled = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeUp.read, events: Int16(POLLIN), revents: 0),
        ]
        let ready = poll(&polled, nfds_t(polled.count), timeout)
        if ready < 0 && errno != EINTR {
            throw FileByteSource.failure(errno, "cannot wait for the pipe", "-")
        }
        return ready > 0 && polled[0].revents != 0
    }

    private func throwIfInterrupted(_ context: ReadContext) throws(MediaError) {
        guard isCancelled.load(ordering: .acquiring) || context.isInterrupted else { return }
        throw LibraryError.cancelled("-")
    }

    private func drainWakeUp() {
        var bytes: (UInt64, UInt64) = (0, 0)
        guard wakeUp.read >= 0 else { return }
        withUnsafeMutableBytes(of: &bytes) { while Glibc.read(wakeUp.read, $0.baseAddress, $0.count) > 0 {} }
    }

    private func endWait() {
        var byte: UInt8 = 1
        if wakeUp.write >= 0 { _ = write(wakeUp.write, &byte, 1) }
    }

    package func cancel() {
        isCancelled.store(true, ordering: .releasing)
        endWait()
    }
}
