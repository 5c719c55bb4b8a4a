import Glibc

/// The error of a write to standard output.
struct OutputError: Error {
    let code: Int32
    var isClosedPipe: Bool { code == EPIPE }
    var sentence: String { "cannot write to standard output: \(String(cString: strerror(code)))" }
}
