internal import Glibc
package import MediaCore

/// Reads standard input, or any descriptor that has only one direction.
package final class PipeByteSource: ByteSource {
    private let descriptor: Int32
    /// A pipe to ourselves: its first end becomes readable when reading is cancelled, so that a wait ends at
    /// once. Both -1 where there was none to be had; then the wait asks 20 times a second.
    private let wakeUp: (read: Int32, write: Int32)
    private let cancellation = Cancellation()
    /// Bytes read so far: the only offset that can be read next.
    private let position = Locked<Int64>(0)

    package var byteCount: Int64? { nil }
    package var isSeekable: Bool { false }

    /// The descriptor stays the caller's and is not closed.
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
        guard let base = buffer.baseAddress, !buffer.isEmpty else { return 0 }
        guard position.withLock({ $0 == offset }) else {
            throw MediaError(.notSeekable, "a pipe can only be read forwards", location: "-")
        }
        while true {
            try waitUntilReadable()
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

    private func waitUntilReadable() throws(MediaError) {
        while true {
            if cancellation.isCancelled { throw LibraryError.cancelled("-") }
            var polled = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakeUp.read, events: Int16(POLLIN), revents: 0),
            ]
            let ready = poll(&polled, nfds_t(polled.count), wakeUp.read >= 0 ? -1 : 50)
            if ready < 0 && errno != EINTR {
                throw FileByteSource.failure(errno, "cannot wait for the pipe", "-")
            }
            if ready > 0 && polled[0].revents != 0 { return }
        }
    }

    package func cancel() {
        cancellation.cancel()
        var byte: UInt8 = 1
        if wakeUp.write >= 0 { _ = write(wakeUp.write, &byte, 1) }
    }
}
