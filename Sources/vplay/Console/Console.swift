import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// Standard error: messages, and a status line that is erased before a message. Only text on standard output and the end
/// of the process wait for a reader.
final class Console: Sendable {
    static let shared = Console()

    private struct State {
        /// The current status line.
        var shown: String?
        /// Shows the status line below frames while these occupy the terminal.
        var screen: Screen?
        /// Messages to print once frames no longer occupy the terminal.
        var deferredLines: [String] = []
        /// The time until which the last message is shown instead of the status line.
        var messageShownUntil = DispatchTime(uptimeNanoseconds: 0)
    }
    /// A screen of frames. It is called without the lock, because it may call `redirect(to:)` or `endRedirection()`.
    private struct Screen {
        let show: @Sendable (String) -> Void
    }
    private let state = Mutex(State())
    private let output = DeferredOutput(STDERR_FILENO) { count in
        let line = "vplay: warning: \(count) lines are missing here, because standard error was not read"
        return (Journal.readsStandardError ? Journal.text(line, .warning) : line) + "\n"
    }
    /// Whether standard output and standard error are the same file or terminal, in which text must keep its order.
    private let sharesStandardOutput: Bool
    /// Whether standard error is a terminal that can erase a status line.
    let canShowStatus: Bool

    private init() {
        var (output, error) = (stat(), stat())
        sharesStandardOutput =
            fstat(STDOUT_FILENO, &output) == 0 && fstat(STDERR_FILENO, &error) == 0
            && output.st_dev == error.st_dev && output.st_ino == error.st_ino
        let terminal = ProcessInfo.processInfo.environment["TERM"]
        canShowStatus = isatty(STDERR_FILENO) == 1 && terminal != "dumb"
    }

    /// Whether standard error is a terminal.
    var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Prints an error message with the prefix "vplay: ".
    func printError(_ sentence: String) {
        let line = "vplay: \(oneLine(sentence))"
        printLine(line, Journal.Priority(line))
    }

    /// Prints a line unchanged, but for the priority that the journal reads. While frames occupy the terminal, the line is
    /// shown for two seconds and printed later.
    func printLine(_ line: String, _ priority: Journal.Priority = .information) {
        let line = Journal.readsStandardError ? Journal.text(line, priority) : line
        let screen = state.withLock { state -> Screen? in
            if let screen = state.screen {
                state.deferredLines.append(line)
                state.messageShownUntil = .now() + .seconds(2)
                return screen
            }
            output.write((state.shown == nil ? "" : Self.erase) + line + "\n")
            state.shown = nil
            return nil
        }
        screen?.show(line.cut(toColumns: TerminalMode.columns - 1))
    }

    /// Replaces the status line. The cursor returns to its start: if a terminal that became narrower has wrapped the
    /// line, the cursor stays in the first row.
    func showStatus(_ line: String) {
        let screen = state.withLock { state -> Screen? in
            if let screen = state.screen { return state.messageShownUntil < .now() ? screen : nil }
            // The next line replaces one that a stopped terminal does not accept.
            guard state.shown != line, !output.isPending else { return nil }
            output.write(Self.erase + line + "\r")
            state.shown = line
            return nil
        }
        screen?.show(line)
    }

    /// Erases the status line.
    func clearStatus() { state.withLock { eraseStatus(&$0) } }

    /// Erases the status line and runs `body`, which writes to standard output, while nothing else is written to the
    /// terminal.
    func withoutStatus<Value>(_ body: () -> Value) -> Value {
        state.withLock { state in
            eraseStatus(&state)
            finishBeforeStandardOutput()
            return body()
        }
    }

    /// Waits until messages are written that precede text on standard output in the same file.
    func finishBeforeStandardOutput() { if sharesStandardOutput { output.finish() } }

    /// Waits for a limited time until all messages are written, at the end of the process.
    func finish() { output.finish(within: Self.finishLimit) }

    /// Defers messages while frames occupy the terminal. `screen` shows the status line below the frames.
    func redirect(to screen: @escaping @Sendable (String) -> Void) {
        state.withLock { state in
            eraseStatus(&state)
            state.screen = Screen(show: screen)
        }
    }

    /// Prints deferred messages after frames have released the terminal.
    func endRedirection() {
        state.withLock { state in
            state.screen = nil
            for line in state.deferredLines { output.write(line + "\n") }
            state.deferredLines = []
        }
    }

    /// Moves to the first column and erases the rest of the screen.
    private static let erase = "\r\u{1B}[J"
    /// The longest time for which the end of the process waits for a reader of standard error.
    private static let finishLimit = Duration.seconds(2)

    private func eraseStatus(_ state: inout State) {
        if state.shown != nil { output.write(Self.erase) }
        state.shown = nil
    }
}

/// Writes all bytes, in several calls if necessary. Returns `errno`, or 0.
func writeFully(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    bytes.withUnsafeBytes { bytes in
        var remaining = bytes
        while !remaining.isEmpty {
            let count = Glibc.write(descriptor, remaining.baseAddress, remaining.count)
            if count >= 0 {
                remaining = UnsafeRawBufferPointer(rebasing: remaining[count...])
            } else if errno == EAGAIN {
                var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&polled, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }
}
