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
        var isRenewed = false
    }

    /// The next byte to come.
    var position: Int64
    /// Behind the last byte that is wanted; nil: to the end of the resource.
    var end: Int64?
    /// The request asks for no range, or the server does not care: bytes come from the very first one on.
    var isLinear: Bool
    /// How far it has come; of a linear fetch that had to begin anew `position` is less.
    var reached: Int64
    /// The place that a reader asked for last.
    var wanted: Int64
    /// Counts up: which fetch was asked for longest ago.
    var lastUse: UInt64 = 0
    var tries = RetryState()
    /// Where requests go: another place than the resource's own while a server leads on.
    var address: HTTPAddress
    /// Of whoever asked for it first.
    let cookies: CookieStore
    /// nil while it waits for its next try.
    var transfer: Transfer?
    /// What was found in the headers of the present try; nil: its body is taken.
    var verdict: ResponseAction?
    /// Nobody has read what came last: no more is taken.
    var isPaused = false
    /// What came last, and is on its way to the cache on disk: a stretch up to `spoolEnd`.
    var spool: [UInt8] = []
    var spoolEnd: Int64 = 0
    /// Its URL is refused, and the program has been asked for another one.
    var isWaitingForURL = false

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
        isLinear: Bool,
        wanted: Int64,
        address: HTTPAddress,
        cookies: CookieStore
    ) {
        self.position = position
        self.end = end
        self.isLinear = isLinear
        self.wanted = wanted
        self.address = address
        self.cookies = cookies
        reached = position
    }

    /// The byte at `offset` comes with it, and soon enough to wait for it.
    func covers(_ offset: Int64, skipLimit: Int64) -> Bool {
        guard offset >= position, end.map({ offset < $0 }) ?? true else { return false }
        return isLinear || offset - position <= skipLimit
    }
}
