import Glibc

/// The reason for which a control socket cannot be created.
struct ControlSocketError: Error, CustomStringConvertible {
    let description: String

    init(_ path: String, _ code: Int32) {
        let reason =
            switch code {
            case EADDRINUSE: "another process listens on it"
            case EEXIST: "the file exists and is not a socket"
            case ENAMETOOLONG: "the path is empty or longer than a socket allows (107 bytes)"
            default: String(cString: strerror(code))
            }
        description = oneLine("cannot listen on \(path): \(reason)")
    }
}
