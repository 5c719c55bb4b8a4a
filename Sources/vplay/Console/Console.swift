import Glibc
import Synchronization

/// Standard error: sentences, and a status line that gives way to them.
final class Console: Sendable {
    static let shared = Console()

    /// The status line that is shown.
    private let status = Mutex<String?>(nil)

    /// Somebody may be watching.
    var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// "vplay: " and a sentence, as other commands complain.
    func complain(_ sentence: String) { say("vplay: \(oneLine(sentence))") }

    /// One line as it is.
    func say(_ line: String) {
        status.withLock { shown in
            write((shown == nil ? "" : Self.erase) + line + "\n")
            shown = nil
        }
    }

    /// Replaces the status line. The cursor goes back to its start: where a terminal that was narrowed has broken
    /// the line in two, it stays at the start of the first.
    func showStatus(_ line: String) {
        status.withLock { shown in
            guard shown != line else { return }
            write(Self.erase + line + "\r")
            shown = line
        }
    }

    func clearStatus() { withoutStatus {} }

    /// Runs `body` while nothing else is written to the terminal.
    func withoutStatus<Value>(_ body: () -> Value) -> Value {
        status.withLock { shown in
            if shown != nil { write(Self.erase) }
            shown = nil
            return body()
        }
    }

    /// To the line's first column, and blank from there on, the rows below too.
    private static let erase = "\r\u{1B}[J"

    /// What cannot be complained about on standard error cannot be complained about at all.
    private func write(_ text: String) {
        let result = writeFully(text, to: STDERR_FILENO)
        _ = result
    }
}

/// Why standard output took no more.
struct OutputError: Error {
    let code: Int32
    var isClosedPipe: Bool { code == EPIPE }
    var sentence: String { "cannot write to standard output: \(String(cString: strerror(code)))" }
}

/// Standard output, for text. Nothing is kept back, so nothing can be lost at the end.
enum StandardOutput {
    /// The status line's, as a rule.
    private static let isTerminal = isatty(STDOUT_FILENO) == 1

    static func write(_ text: String) throws(OutputError) {
        let code =
            isTerminal
            ? Console.shared.withoutStatus { writeFully(text, to: STDOUT_FILENO) }
            : writeFully(text, to: STDOUT_FILENO)
        if code != 0 { throw OutputError(code: code) }
    }

    /// For a command's result: a failure ends the process as it should.
    static func writeOrExit(_ text: String) {
        do {
            try write(text)
        } catch {
            if error.isClosedPipe { ExitStatus.closedPipe.exitNow() }
            Console.shared.complain(error.sentence)
            ExitStatus.failure.exitNow()
        }
    }
}

/// All of it, in as many pieces as the system likes; returns `errno`, or 0.
private func writeFully(_ text: String, to descriptor: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
        var rest = UnsafeRawBufferPointer(bytes)
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
