import Dispatch
import Glibc
import Synchronization

/// Why standard output took no more.
struct OutputError: Error {
    let code: Int32
    var isClosedPipe: Bool { code == EPIPE }
    var sentence: String { "cannot write to standard output: \(String(cString: strerror(code)))" }
}
