internal import MediaCore

/// A part of a resource that is being fetched, with one request after another until it is complete.
///
/// `@unchecked Sendable`: guarded by the lock of its source.
final class Fetch: @unchecked Sendable {
    /// The state of retries and redirects.
    struct RetryState {
        /// The number of consecutive attempts without progress.
        var count = 0
        /// The number of consecutive redirects.
        var redirects = 0
        /// The number of bytes of the present attempt, and whether some of them are beyond `highestPosition`.
        var byteCount: Int64 = 0
        var hasProgress = false
        /// Whether the URL has been replaced since the last new byte.
        var hasRefreshedURL = false
    }

    /// The offset of the next byte.
    var position: Int64
    /// The offset after the last byte, or nil for the end of the resource.
    var end: Int64?
    /// Whether the response begins with the first byte of the resource, because no range was requested or the server
    /// ignores ranges.
    var isSequential: Bool
    /// The highest position reached. It is above `position` if a sequential fetch had to restart.
    var highestPosition: Int64
    /// The offset that a reader requested last.
    var requestedOffset: Int64
    /// A counter value that orders fetches by their last use.
    var lastUse: UInt64 = 0
    var retryState = RetryState()
    /// The address of the next request. It differs from the resource's address during redirects.
    var address: HTTPAddress
    /// The cookies of the reader that started the fetch.
    let cookies: CookieStore
    /// The current request, or nil while the fetch waits for its next attempt.
    var transfer: Transfer?
    /// The decision about the headers of the present attempt, or nil if the body is accepted.
    var responseAction: ResponseAction?
    /// Whether the transfer is paused because readers are behind.
    var isPaused = false
    /// Received bytes that are not yet in the disk cache. They end at `diskBufferEnd`.
    var diskBuffer: [UInt8] = []
    var diskBufferEnd: Int64 = 0
    /// Whether the server has rejected the URL and the application has been asked for another one.
    var awaitsURL = false

    /// The action after response headers whose body is not accepted.
    enum ResponseAction {
        case redirect(String)
        /// Another attempt may succeed, after the given number of nanoseconds if the server declares a delay.
        case retry(MediaError, after: Int64?)
        case failure(MediaError)
        /// The requested offset is at or after the end of the resource.
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

    /// Returns true if the fetch will deliver the byte at `offset` soon enough to wait for it.
    func covers(_ offset: Int64, skipLimit: Int64) -> Bool {
        guard offset >= position, end.map({ offset < $0 }) ?? true else { return false }
        return isSequential || offset - position <= skipLimit
    }
}
