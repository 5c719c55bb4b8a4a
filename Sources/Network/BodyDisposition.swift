internal import CCurl
internal import Glibc
internal import MediaCore

/// The treatment of received bytes of a body.
enum BodyDisposition: Hashable, Sendable {
    /// Consumes the bytes.
    case accept
    /// Pauses the transfer. The same bytes are delivered again when it is resumed.
    case pause
    /// Ends the transfer.
    case stop
}
