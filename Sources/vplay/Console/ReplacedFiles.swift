import PlayheadCore

/// The files with content that a command has replaced.
final class ReplacedFiles: Sendable {
    private let paths = Locked<[String]>([])

    /// Adds the file of an output, if it had content.
    func add(_ output: ByteOutput) {
        if output.replacesContent { paths.withLock { $0.append(output.path) } }
    }

    /// Prints one line if files have been replaced and standard error is a terminal. A script that writes its files again
    /// expects that.
    func report() {
        guard Console.shared.isTerminal else { return }
        let paths = paths.withLock { $0 }
        guard let first = paths.first else { return }
        let others = paths.count - 1
        let more = others == 0 ? "" : " and \(others) other file\(others == 1 ? "" : "s")"
        Console.shared.printError("replaced \(first)\(more)")
    }
}
