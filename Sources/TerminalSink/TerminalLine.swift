internal import Dispatch
internal import Glibc
internal import MediaCore

/// The output to a terminal. Bytes that the terminal does not accept at once are stored and written later, so no call
/// blocks.
final class TerminalLine: Sendable {
    enum Outcome: Hashable {
        case written
        /// The remaining bytes are written later, and the completion is called after that.
        case pending
        /// The screen was restored before all bytes were written, or it is not in use.
        case abandoned
        /// A system call failed with this `errno`.
        case failed(Int32)
    }

    private struct State {
        var isEntered = false
        /// The bytes to write before the first update; nil once they have been written.
        var preamble: [UInt8]?
        var rest: [UInt8] = []
        var written = 0
        var completion: (@Sendable (Outcome) -> Void)?
        /// Reports when the terminal accepts bytes.
        var writeSource: (any DispatchSourceWrite)?
        /// The original flags of an open file that is shared with other processes.
        var sharedFlags: Int32?
        var isClosed = false
    }

    private let terminal: Descriptor
    private let isOwn: Bool
    private var descriptor: Int32 { terminal.number }
    private let queue = DispatchQueue(label: "playhead.terminal")
    private let state = Locked(State())

    /// Returns the name of a file descriptor for error messages.
    static func name(of descriptor: Int32) -> String {
        switch descriptor {
        case STDOUT_FILENO: "standard output"
        case STDERR_FILENO: "standard error"
        default: "descriptor \(descriptor)"
        }
    }

    /// Opens the terminal again, because the flags of an open file affect all processes that share it. If the system
    /// does not permit that, because the terminal belongs to another user, the open file is shared.
    ///
    /// Returns nil if no file descriptor is available.
    init?(_ terminal: Int32) {
        let own = open("/proc/self/fd/\(terminal)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        isOwn = own >= 0
        self.terminal = Descriptor(isOwn ? own : fcntl(terminal, F_DUPFD_CLOEXEC, 3))
        if descriptor < 0 { return nil }
    }

    /// Whether this process is in the foreground of the terminal. If not, the terminal belongs to the shell.
    var isForeground: Bool {
        let group = tcgetpgrp(descriptor)
        return group < 0 || group == getpgrp()
    }

    /// The columns, rows and pixels of the window; zeroes if the terminal does not report them.
    var window: (columns: Int, rows: Int, pixels: PixelSize) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return (0, 0, .zero) }
        let pixels = PixelSize(width: Int(size.ws_xpixel), height: Int(size.ws_ypixel))
        return (Int(size.ws_col), Int(size.ws_row), pixels)
    }

    /// Starts using the screen: from now on it has to be restored. `preamble` is written before the next bytes.
    /// Returns false if the line was left permanently.
    func enter(_ preamble: [UInt8]) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.isEntered = true
            state.preamble = preamble
            if !isOwn {
                let flags = fcntl(descriptor, F_GETFL)
                if flags >= 0, flags & O_NONBLOCK == 0 {
                    state.sharedFlags = flags
                    _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
                }
            }
            return true
        }
    }

    /// Writes bytes. Must not be called while an earlier call is pending.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to write.
    ///   - completion: Called on a queue of the line, only if the result is `.pending`.
    /// - Returns: The outcome.
    func write(_ bytes: [UInt8], completion: @escaping @Sendable (Outcome) -> Void) -> Outcome {
        state.withLock { state in
            guard state.isEntered, state.rest.isEmpty else { return .abandoned }
            state.rest = (state.preamble ?? []) + bytes
            state.preamble = nil
            state.written = 0
            let outcome = push(&state)
            if outcome == .pending {
                state.completion = completion
                let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
                source.setEventHandler { [weak self] in self?.resumeWriting() }
                // Dispatch uses the descriptor until the source's cancellation is complete.
                source.setCancelHandler { [terminal] in withExtendedLifetime(terminal) {} }
                source.activate()
                state.writeSource = source
            }
            return outcome
        }
    }

    /// Continues to write once the terminal accepts bytes again.
    private func resumeWriting() {
        let (outcome, completion) = state.withLock { state -> (Outcome, (@Sendable (Outcome) -> Void)?) in
            guard !state.rest.isEmpty else { return (.pending, nil) }
            let outcome = push(&state)
            guard outcome != .pending else { return (outcome, nil) }
            state.writeSource?.cancel()
            state.writeSource = nil
            defer { state.completion = nil }
            return (outcome, state.completion)
        }
        completion?(outcome)
    }

    private func push(_ state: inout State) -> Outcome {
        while state.written < state.rest.count {
            let count = state.rest.withUnsafeBytes { bytes in
                let start = bytes.baseAddress.map { $0 + state.written }
                return Glibc.write(descriptor, start, bytes.count - state.written)
            }
            if count >= 0 {
                state.written += count
            } else if errno == EAGAIN {
                return .pending
            } else if errno != EINTR {
                let code = errno
                state.rest = []
                return .failed(code)
            }
        }
        state.rest = []
        return .written
    }

    /// Restores the screen: discards unwritten bytes and writes `bytes`.
    ///
    /// If the terminal accepts nothing for 0.2 s, the bytes that it has not read are discarded.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that restore the screen.
    ///   - isLast: Whether the screen cannot be entered again.
    func leave(_ bytes: [UInt8], isLast: Bool) {
        let completion = state.withLock { state -> (@Sendable (Outcome) -> Void)? in
            if isLast { state.isClosed = true }
            guard state.isEntered else { return nil }
            state.isEntered = false
            state.rest = state.preamble == nil ? bytes : []
            state.preamble = nil
            state.written = 0
            for isLastChance in [false, true] where push(&state) == .pending {
                if isLastChance { break }
                // Output is stopped by ^S, or the terminal is not read.
                tcflow(descriptor, TCOON)
                if !wait(&state) { tcflush(descriptor, TCOFLUSH) }
            }
            state.rest = []
            state.writeSource?.cancel()
            state.writeSource = nil
            if let flags = state.sharedFlags { _ = fcntl(descriptor, F_SETFL, flags) }
            state.sharedFlags = nil
            defer { state.completion = nil }
            return state.completion
        }
        completion?(.abandoned)
    }

    /// Waits until all bytes are written. Returns false after 0.2 s.
    private func wait(_ state: inout State) -> Bool {
        var clock = timespec()
        clock_gettime(CLOCK_MONOTONIC, &clock)
        let end = clock.tv_sec * 1000 + clock.tv_nsec / 1_000_000 + 200
        while true {
            guard push(&state) == .pending else { return true }
            clock_gettime(CLOCK_MONOTONIC, &clock)
            let left = end - (clock.tv_sec * 1000 + clock.tv_nsec / 1_000_000)
            if left <= 0 { return false }
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&request, 1, Int32(left))
        }
    }
}

/// A file descriptor that is closed with its last reference.
private final class Descriptor: Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { if number >= 0 { close(number) } }
}
