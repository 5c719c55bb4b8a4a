import Glibc

/// The journal of systemd, if it reads standard error. A line then begins with its priority, as `sd-daemon(3)` describes.
enum Journal {
    /// The priority of a line, by the numbers of syslog.
    enum Priority: Int, Sendable {
        case error = 3
        case warning = 4
        case information = 6

        /// The priority of a message of the command.
        init(_ message: String) { self = message.hasPrefix("vplay: warning: ") ? .warning : .error }

        var prefix: String { "<\(rawValue)>" }
    }

    /// Whether `JOURNAL_STREAM` names the file of standard error by its device and inode.
    static let readsStandardError = matches(
        getenv("JOURNAL_STREAM").map { String(cString: $0) },
        STDERR_FILENO
    )

    static func matches(_ stream: String?, _ descriptor: Int32) -> Bool {
        guard let numbers = stream?.split(separator: ":", omittingEmptySubsequences: false),
            numbers.count == 2,
            let device = UInt64(numbers[0]), let inode = UInt64(numbers[1])
        else { return false }
        var status = stat()
        return fstat(descriptor, &status) == 0 && UInt64(status.st_dev) == device
            && UInt64(status.st_ino) == inode
    }

    /// Returns text with a priority before each of its lines.
    static func text(_ lines: String, _ priority: Priority) -> String {
        lines.split(separator: "\n", omittingEmptySubsequences: false).map { priority.prefix + $0 }
            .joined(separator: "\n")
    }
}
