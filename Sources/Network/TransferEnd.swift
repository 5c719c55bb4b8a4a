internal import CCurl
internal import Glibc
internal import MediaCore

/// How a transfer ended.
struct TransferEnd: Hashable, Sendable {
    enum Reason: Hashable, Sendable {
        /// The whole body has come.
        case complete
        /// The receiver wanted no more.
        case stopped
        case timedOut
        /// Bytes come, but too few for any media.
        case tooSlow
        case noHost
        case noConnection
        /// The system has no socket for it, in its words.
        case noSocket(String)
        /// There is no such proxy.
        case noProxy
        /// The proxy does not connect to the server, and says so with this status.
        case refusedByProxy(Int)
        /// The connection ended before the body did, or before it began.
        case broken
        /// The certificate is none of those that are trusted, or is another host's, or has expired.
        case untrusted
        /// The headers are longer than is taken.
        case headersTooLong
        /// Its address is private, and a public server led to it.
        case privateAddress
        /// It cannot even be asked for.
        case refused(MediaError.Code)
    }

    var reason: Reason
    /// libcurl's own words; empty for none.
    var libraryMessage = ""
    /// libcurl's own code.
    var code: Int32 = 0
}
