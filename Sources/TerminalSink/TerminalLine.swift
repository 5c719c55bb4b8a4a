internal import Dispatch
internal import Glibc
internal import MediaCore

/// Bytes on their way to a terminal. What it does not take at once is kept, and written when it does: nobody waits.
final class TerminalLine: Sendable {
    enum Outcome: Hashable {
        case written
        /// The rest follows; the closure is called after that.
        case pending
        /// The screen was given back before all was written, or is not ours.
        case abandoned
        /// `errno`.
        case failed(Int32)
    }

    private struct State {
        var isEntered = false
        /// What goes before the preamble bytes; nil: it has been written.
        var preamble: [UInt8]?
        var rest: [UInt8] = []
        var written = 0
        var completion: (@Sendable (Outcome) -> Void)?
        var writeSource: WriteSource?
        /// Of the description that is shared with others, as it was found.
        var sharedFlags: Int32?
        var isClosed = false
    }

    private let terminal: Descriptor
    private let isOwn: Bool
    private var descriptor: Int32 { terminal.number }
    private let queue = DispatchQueue(label: "playhead.terminal")
    private let state = Locked(State())

    /// The terminal is opened anew, for what is set on a descriptor holds for all who share it; where the system forbids
    /// that (it is another user's), it is shared after all. nil: no memory for a descriptor.
    init?(_ terminal: Int32) {
        let own = open("/proc/self/fd/\(terminal)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        isOwn = own >= 0
        self.terminal = Descriptor(isOwn ? own : fcntl(terminal, F_DUPFD_CLOEXEC, 3))
        if descriptor < 0 { return nil }
    }

    /// Whether the terminal is another's: the shell's, while we are in its background.
    var isForeground: Bool {
        let group = tcgetpgrp(descriptor)
        return group < 0 || group == getpgrp()
    }

    /// Columns, rows and pixels; zeroes where the terminal does not tell.
    var window: (columns: Int, rows: Int, pixels: PixelSize) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return (0, 0, .zero) }
        let pixels = PixelSize(width: Int(size.ws_xpixel), height: Int(size.ws_ypixel))
        return (Int(size.ws_col), Int(size.ws_row), pixels)
    }

    /// From the next bytes on, which `preamble` goes before, there is a screen to be given back. False: it is too late for that.
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

    /// One call at a time: not while something is under way. `completion` is called on a queue of the line's own, only where
    /// that is the answer.
    func write(_ bytes: [UInt8], completion: @escaping @Sendable (Outcome) -> Void) -> Outcome {
        state.withLock { state in
            guard state.isEntered, state.rest.isEmpty else { return .abandoned }
            state.rest = (state.preamble ?? []) + bytes
            state.preamble = nil
            state.written = 0
            let outcome = push(&state)
            if outcome == .pending {
                state.completion = completion
                let writeSource = WriteSource(terminal, queue: queue)
                state.writeSource = writeSource
                writeSource.start { [weak self] in self?.resumeWriting() }
            }
            return outcome
        }
    }

    /// There is writeSource again.
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

    /// Gives the screen back: what is half written is left, and `bytes` follow. A terminal that takes nothing is waited for
    /// a fifth of a second; then what it has not read is thrown away. `isLast`: it cannot be entered any more.
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
                // ^S holds it up, or its reader does.
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

    /// False: there was no writeSource for all.
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

/// Closed when nobody holds it any more.
private final class Descriptor: Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { if number >= 0 { close(number) } }
}

/// `@unchecked Sendable`: immutable, and dispatch sources may be used from any thread; only their protocol does not say so.
private final class WriteSource: @unchecked Sendable {
    private let source: any DispatchSourceWrite

    init(_ descriptor: Descriptor, queue: DispatchQueue) {
        source = DispatchSource.makeWriteSource(fileDescriptor: descriptor.number, queue: queue)
        // Dispatch looks at it until the source is cancelled for good.
        source.setCancelHandler { withExtendedLifetime(descriptor) {} }
    }

    func start(_ handler: @escaping @Sendable () -> Void) {
        source.setEventHandler(handler: handler)
        source.activate()
    }

    func cancel() { source.cancel() }
}
