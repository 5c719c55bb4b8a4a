import Dispatch
import Glibc
import Synchronization

/// Standard output, for text. Nothing is kept back, so nothing can be lost at the end.
enum StandardOutput {
    /// The status line's, as a rule.
    private static let isTerminal = isatty(STDOUT_FILENO) == 1

    static func write(_ text: String) throws(OutputError) { try write(bytes: Array(text.utf8)) }

    private static func write(bytes: [UInt8]) throws(OutputError) {
        let code =
            isTerminal
            ? Console.shared.withoutStatus { writeFully(bytes, to: STDOUT_FILENO) }
            : writeFully(bytes, to: STDOUT_FILENO)
        if code != 0 { throw OutputError(code: code) }
    }

    /// For a command's result: a failure ends the process as it should.
    static func writeOrExit(_ text: String) { writeOrExit(bytes: Array(text.utf8)) }

    /// The same for names that may be no UTF-8.
    static func writeOrExit(bytes: [UInt8]) {
        do {
            try write(bytes: bytes)
        } catch {
            if error.isClosedPipe { ExitStatus.closedPipe.exitNow() }
            Console.shared.printError(error.sentence)
            ExitStatus.failure.exitNow()
        }
    }
}
