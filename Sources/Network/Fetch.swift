internal import MediaCore

/// A part of a resource that is being fetched: one request after another, until all of it has come.
///
/// `@unchecked Sendable`: guarded by the lock of its source.
final class Fetch: @unchecked Sendable {
    /// How often and when a request that came to nothing is made again.
    struct RetryState {
        /// Without progress, in a row.
        var count = 0
        /// Requests that led on to another URL, in a row.
        var redirects = 0
        /// Bytes of the present try, and whether some of them had not come before.
        var byteCount: Int64 = 0
        var hasProgress = false
        /// The URL is another one since the last byte came.
        var hasRefreshedURL = false
    }

    /// The next byte to come.
    var position: Int64
    /// Behind the last byte that is wanted; nil: to the end of the resource.
    var end: Int64?
    /// The request asks for no range, or the server does not care: bytes come from the very first one on.
    var isSequential: Bool
    /// How far it has come; of a linear fetch that had to begin anew `position` is less.
    var highestPosition: Int64
    /// The place that a reader asked for last.
    var requestedOffset: Int64
    /// Counts up: which fetch was asked for longest ago.
    var lastUse: UInt64 = 0
    var retryState = RetryState()
    /// Where requests go: another place than the resource's own while a server leads on.
    var address: HTTPAddress
    /// Of whoever asked for it first.
    let cookies: CookieStore
    /// nil while it waits for its next try.
    var transfer: Transfer?
    /// What was found in the headers of the present try; nil: its body is taken.
    var responseAction: ResponseAction?
    /// Nobody has read what came last: no more is taken.
    var isPaused = false
    /// What came last, and is on its way to the cache on disk: a stretch up to `spoolEnd`.
    var diskBuffer: [UInt8] = []
    var diskBufferEnd: Int64 = 0
    /// Its URL is refused, and the program has been asked for another one.
    var awaitsURL = false

    /// What headers lead to, where it is not the body.
    enum ResponseAction {
        case redirect(String)
        /// Another try may help; in so many nanoseconds, where the server says.
        case retry(MediaError, after: Int64?)
        case failure(MediaError)
        /// Nothing lies behind the place that was asked for.
        case atEnd
    }

    init(
        at position: Int64,
        end: Int64?,
        isSequential: Bool,
        requestedOffset: Int64,
        address: HTTPAddress,
        cookies: CookieStore
    ) {
        self.position = position
        self.end = end
        self.isSequential = isSequential
        self.requestedOffset = requestedOffset
        self.address = address
        self.cookies = cookies
        highestPosition = position
    }

    /// The byte at `offset` comes with it, and soon enough to wait for it.
    func covers(_ offset: Int64, skipLimit: Int64) -> Bool {
        guard offset >= position, end.map({ offset < $0 }) ?? true else { return false }
        return isSequential || offset - position <= skipLimit
    }
}
