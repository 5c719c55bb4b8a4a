import Dispatch
import Glibc
import Synchronization

/// An output for text that does not wait for its reader. What a full pipe or a stopped terminal does not accept at once
/// is written later, in order.
final class DeferredOutput: Sendable {
    private struct State {
        /// The bytes that are still to be written.
        var pending: [UInt8] = []
        /// Whether they are being written on `queue`.
        var isWriting = false
        /// The number of texts that were dropped because too much was pending.
        var dropCount = 0
    }

    /// The way in which bytes are written without waiting.
    private enum Access {
        /// To an open file of this object, which is non-blocking.
        case own
        case socket
        /// To an open file whose flags other processes share. Short pieces are written, while the system accepts some.
        case shared
    }

    private let descriptor: Int32
    private let access: Access
    private let capacity: Int
    private let notice: @Sendable (Int) -> String
    private let queue = DispatchQueue(label: "vplay.output")
    private let state = Mutex(State())

    /// The size of a piece that a pipe accepts as a whole if it accepts any byte (Linux's `PIPE_BUF`).
    private static let pieceByteCount = 4096

    /// Creates an output.
    ///
    /// - Parameters:
    ///   - descriptor: The file descriptor, which must stay open.
    ///   - capacity: The number of pending bytes from which on further texts are dropped.
    ///   - notice: Returns the text about a number of texts that were dropped.
    init(_ descriptor: Int32, capacity: Int = 1 << 20, notice: @escaping @Sendable (Int) -> String) {
        var status = stat()
        let kind = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
        // The flags of an open file affect all processes that share it, so a pipe or a terminal is opened again.
        let opened =
            kind == S_IFIFO || kind == S_IFCHR
            ? open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1
        self.descriptor = opened >= 0 ? opened : descriptor
        access = opened >= 0 ? .own : kind == S_IFSOCK ? .socket : .shared
        self.capacity = capacity
        self.notice = notice
    }

    deinit { if access == .own { close(descriptor) } }

    /// Whether earlier text has not been written yet.
    var isPending: Bool { state.withLock { !$0.pending.isEmpty } }

    /// Writes a text, after the earlier ones.
    func write(_ text: String) {
        let mustStart = state.withLock { state -> Bool in
            guard state.pending.count < capacity else {
                state.dropCount += 1
                return false
            }
            state.pending += text.utf8
            push(&state)
            guard !state.pending.isEmpty, !state.isWriting else { return false }
            state.isWriting = true
            return true
        }
        if mustStart { queue.async { [self] in writePending() } }
    }

    /// Waits until all text is written.
    ///
    /// - Parameter limit: The longest time to wait, or nil to wait for the reader indefinitely.
    func finish(within limit: Duration? = nil) {
        let end = limit.map { ContinuousClock.now + $0 }
        while true {
            let isFinished = state.withLock { state -> Bool in
                push(&state)
                return state.pending.isEmpty
            }
            if isFinished { return }
            if let end, ContinuousClock.now >= end { return }
            wait(milliseconds: 10)
        }
    }

    private func writePending() {
        var isWriting = true
        while isWriting {
            wait(milliseconds: -1)
            isWriting = state.withLock { state -> Bool in
                push(&state)
                state.isWriting = !state.pending.isEmpty
                return state.isWriting
            }
        }
    }

    /// Waits until the system accepts bytes. A negative number of milliseconds is no limit.
    private func wait(milliseconds: Int32) {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&request, 1, milliseconds)
        // A terminal may report space that is too small for a line feed, which must not occupy a core.
        usleep(1000)
    }

    /// Writes the bytes that are accepted at once. An error cannot be reported anywhere else, so the text is discarded.
    private func push(_ state: inout State) {
        var written = 0
        while written < state.pending.count {
            let count = state.pending.withUnsafeBytes { bytes in
                attempt(UnsafeRawBufferPointer(rebasing: bytes[written...]))
            }
            if count >= 0 {
                written += count
            } else if errno == EAGAIN {
                break
            } else if errno != EINTR {
                written = state.pending.count
            }
        }
        state.pending.removeFirst(written)
        guard state.pending.isEmpty, state.dropCount > 0 else { return }
        state.pending += notice(state.dropCount).utf8
        state.dropCount = 0
        push(&state)
    }

    /// Returns the number of bytes that were written, or -1 with `errno`.
    private func attempt(_ bytes: UnsafeRawBufferPointer) -> Int {
        switch access {
        case .own: return Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        case .socket: return send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT))
        case .shared:
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let answer = poll(&request, 1, 0)
            if answer == 0 { errno = EAGAIN }
            guard answer > 0 else { return -1 }
            return Glibc.write(descriptor, bytes.baseAddress, min(bytes.count, Self.pieceByteCount))
        }
    }
}
