internal import MediaCore

/// The I/O of one range request: its transfers, one after another. Forwards their events to the source while it exists.
///
/// `@unchecked Sendable`: guarded by the lock of its source.
final class Fetch: TransferReceiver, @unchecked Sendable {
    private weak let source: HTTPRepresentation?
    /// The request of the scheduler.
    let id: RangeScheduler.RequestID
    /// The address of the next transfer. It differs from the resource's address during redirects.
    var address: HTTPAddress
    /// The cookies of the reader that started the request.
    let cookies: CookieStore
    /// The number of consecutive redirects.
    var redirects = 0
    /// Whether the application has been asked for another URL since the last new byte.
    var hasRefreshedURL = false
    /// Whether the current transfer began before the application replaced the URL.
    var predatesReplacement = false
    /// Whether the server has rejected the URL and the application has been asked for another one.
    var awaitsURL = false
    /// The current transfer, or nil while the request waits for its next attempt.
    var transfer: Transfer?
    /// The decision about the headers of the present attempt, or nil if the body is accepted.
    var responseAction: ResponseAction?
    /// Received bytes that are not yet in the disk cache. They end at `diskBufferEnd`.
    var diskBuffer: [UInt8] = []
    var diskBufferEnd: Int64 = 0

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
        _ id: RangeScheduler.RequestID,
        of source: HTTPRepresentation,
        at address: HTTPAddress,
        _ cookies: CookieStore
    ) {
        self.id = id
        self.source = source
        self.address = address
        self.cookies = cookies
    }

    func received(_ head: ResponseHead, of transfer: Transfer) -> Bool {
        source?.received(head, of: self, transfer) ?? false
    }

    func received(_ bytes: UnsafeRawBufferPointer, of transfer: Transfer) -> BodyDisposition {
        source?.received(bytes, of: self, transfer) ?? .stop
    }

    func ended(_ transfer: Transfer, _ end: TransferEnd) { source?.ended(end, of: self, transfer) }
}
