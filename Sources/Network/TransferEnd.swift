internal import CCurl
internal import Glibc
internal import MediaCore

/// The result of a transfer.
struct TransferEnd: Hashable, Sendable {
    /// The reason for the end.
    enum Reason: Hashable, Sendable {
        /// The whole body was received.
        case complete
        /// The receiver needed no more bytes.
        case stopped
        /// No bytes arrived within the timeout.
        case timedOut
        /// The server sent fewer bytes than the minimum rate.
        case tooSlow
        /// The host name cannot be resolved.
        case noHost
        /// No connection could be established.
        case noConnection
        /// The system could not open a socket. The value is its error message.
        case noSocket(String)
        /// The host name of the proxy cannot be resolved.
        case noProxy
        /// The proxy refused to connect to the server with this status code.
        case refusedByProxy(Int)
        /// The connection ended before the response was complete.
        case broken
        /// The certificate is not trusted, has expired, or belongs to another host.
        case untrusted
        /// The response headers exceed `ResponseHead.byteLimit`.
        case headersTooLong
        /// The address is private, and a public server referred to it.
        case privateAddress
        /// The request could not be started.
        case refused(MediaError.Code)
    }

    var reason: Reason
    /// The error message of libcurl, or an empty string.
    var libraryMessage = ""
    /// The result code of libcurl.
    var code: Int32 = 0
}
