import Dispatch
import Glibc
import Synchronization

/// Standard error: sentences, and a status line that gives way to them.
final class Console: Sendable {
    static let shared = Console()

    private struct State {
        /// The status line that is shown.
        var shown: String?
        /// Shows it below pictures that have taken the terminal.
        var screen: Screen?
        /// Said while there were pictures.
        var held: [String] = []
        /// The last of these is shown for a moment instead of the status line.
        var heldUntil = DispatchTime(uptimeNanoseconds: 0)
    }
    /// Called without the lock: it may come back to hand the terminal over, or to take it back.
    private struct Screen {
        let show: @Sendable (String) -> Void
    }
    private let state = Mutex(State())

    /// Somebody may be watching.
    var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// "vplay: " and a sentence, as other commands complain.
    func printError(_ sentence: String) { say("vplay: \(oneLine(sentence))") }

    /// One line as it is. Among pictures it is seen for two seconds, and stays when they are gone.
    func say(_ line: String) {
        let screen = state.withLock { state -> Screen? in
            if let screen = state.screen {
                state.held.append(line)
                state.heldUntil = .now() + .seconds(2)
                return screen
            }
            write((state.shown == nil ? "" : Self.erase) + line + "\n")
            state.shown = nil
            return nil
        }
        screen?.show(line.cut(toColumns: TerminalMode.columns - 1))
    }

    /// Replaces the status line. The cursor goes back to its start: where a terminal that was narrowed has broken
    /// the line in two, it stays at the start of the first.
    func showStatus(_ line: String) {
        let screen = state.withLock { state -> Screen? in
            if let screen = state.screen { return state.heldUntil < .now() ? screen : nil }
            guard state.shown != line else { return nil }
            write(Self.erase + line + "\r")
            state.shown = line
            return nil
        }
        screen?.show(line)
    }

    func clearStatus() { withoutStatus {} }

    /// Runs `body` while nothing else is written to the terminal.
    func withoutStatus<Value>(_ body: () -> Value) -> Value {
        state.withLock { state in
            if state.shown != nil { write(Self.erase) }
            state.shown = nil
            return body()
        }
    }

    /// Pictures take the terminal: `screen` shows the status line below them, and sentences wait.
    func handOver(to screen: @escaping @Sendable (String) -> Void) {
        state.withLock { state in
            if state.shown != nil { write(Self.erase) }
            state.shown = nil
            state.screen = Screen(show: screen)
        }
    }

    /// The pictures are gone.
    func takeBack() {
        state.withLock { state in
            state.screen = nil
            for line in state.held { write(line + "\n") }
            state.held = []
        }
    }

    /// To the line's first column, and blank from there on, the rows below too.
    private static let erase = "\r\u{1B}[J"

    /// What cannot be complained about on standard error cannot be complained about at all.
    private func write(_ text: String) {
        let result = writeFully(Array(text.utf8), to: STDERR_FILENO)
        _ = result
    }
}

/// All of it, in as many pieces as the system likes; returns `errno`, or 0.
func writeFully(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    bytes.withUnsafeBytes { bytes in
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if errno == EAGAIN {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&waiting, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }
}
