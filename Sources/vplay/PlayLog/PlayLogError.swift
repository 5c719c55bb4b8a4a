import Glibc

/// The reason for which a line of the play log cannot be written.
enum PlayLogError: Error, Hashable, CustomStringConvertible {
    case system(Int32)
    case notRegular
    case inUse
    case tooLarge
    /// The file was not written by the play log.
    case otherContents

    init(_ code: Int32) { self = .system(code) }

    var description: String {
        switch self {
        case .system(let code): String(cString: strerror(code))
        case .notRegular: "not a regular file"
        case .inUse: "another process writes to it"
        case .tooLarge: "larger than 256 MiB"
        case .otherContents: "not a play log"
        }
    }
}
