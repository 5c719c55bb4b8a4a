import Glibc

/// Standard output for text. Writes are unbuffered, so no output is lost at exit.
enum StandardOutput {
    /// Whether standard output is a terminal, which is usually also that of the status line.
    private static let isTerminal = isatty(STDOUT_FILENO) == 1

    static func write(_ text: String) throws(OutputError) { try write(bytes: Array(text.utf8)) }

    private static func write(bytes: [UInt8]) throws(OutputError) {
        let code: Int32
        if isTerminal {
            code = Console.shared.withoutStatus { writeFully(bytes, to: STDOUT_FILENO) }
        } else {
            Console.shared.finishBeforeStandardOutput()
            code = writeFully(bytes, to: STDOUT_FILENO)
        }
        if code != 0 { throw OutputError(code: code) }
    }

    /// Writes the result of a command. An error ends the process with the appropriate status.
    static func writeOrExit(_ text: String) { writeOrExit(bytes: Array(text.utf8)) }

    /// Writes bytes, such as names that may not be UTF-8. An error ends the process with the appropriate status.
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
