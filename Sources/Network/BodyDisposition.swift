internal import CCurl
internal import Glibc
internal import MediaCore

/// What becomes of bytes that have come.
enum BodyDisposition: Hashable, Sendable {
    case accept
    /// The same bytes come again when the transfer is resumed.
    case pause
    /// Nothing more is wanted.
    case stop
}
