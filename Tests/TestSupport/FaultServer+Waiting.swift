internal import Foundation
internal import Glibc

extension FaultServer {
    /// Limits the number of bytes of paced bodies that may be sent, so that a test can pace them by its own clock.
    package final class Gate: @unchecked Sendable {
        private let condition = NSCondition()
        /// The number of bytes that may be sent. Guarded by `condition`.
        private var allowed = 0
        private var isOpen = false

        /// Allows more bytes to be sent.
        package func allow(_ count: Int) {
            condition.lock()
            allowed += count
            condition.broadcast()
            condition.unlock()
        }

        /// Removes the limit.
        package func open() {
            condition.lock()
            isOpen = true
            condition.broadcast()
            condition.unlock()
        }

        /// Waits until at least one byte may be sent. Returns the number of bytes to send.
        func consume(upTo count: Int) -> Int {
            condition.lock()
            defer { condition.unlock() }
            while allowed == 0, !isOpen { condition.wait() }
            if isOpen { return count }
            let taken = min(allowed, count)
            allowed -= taken
            return taken
        }
    }

    /// A pipe that becomes readable once and stays so. Any number of threads can wait for it together with their
    /// sockets.
    final class Bell: Sendable {
        private let reading: Int32
        private let writing: Int32

        /// POLLRDHUP, which the Glibc module does not define.
        private static let peerHasClosed: Int16 = 0x2000

        init() throws {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else {
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE)
            }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            (reading, writing) = (ends[0], ends[1])
        }

        deinit {
            close(reading)
            close(writing)
        }

        func ring() {
            var byte: UInt8 = 1
            _ = Glibc.write(writing, &byte, 1)
        }

        /// Waits for an event. Returns true if the descriptor is ready, and false if the bell has rung.
        func wait(or descriptor: Int32, _ events: Int16) -> Bool {
            var polled = [
                pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: events, revents: 0),
            ]
            while poll(&polled, 2, -1) < 0 {}
            return polled[0].revents == 0
        }

        /// Waits until the bell rings, and returns true. Returns false if the peer has closed the socket or the other
        /// bell has rung.
        func waitWhileOpen(_ socket: Int32, unless other: Bell) -> Bool {
            var polled = [
                pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
                pollfd(fd: socket, events: FaultServer.Bell.peerHasClosed, revents: 0),
                pollfd(fd: other.reading, events: Int16(POLLIN), revents: 0),
            ]
            while poll(&polled, 3, -1) < 0 {}
            return polled[0].revents != 0 && polled[2].revents == 0
        }
    }
}
