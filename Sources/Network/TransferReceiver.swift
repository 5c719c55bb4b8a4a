internal import CCurl
internal import Glibc
internal import MediaCore

/// Who hears what comes of a request. Called on the loop's thread, and must not block.
protocol TransferReceiver: AnyObject, Sendable {
    /// The headers are complete. False: the body is not wanted, and the transfer ends.
    func received(_ head: ResponseHead, of transfer: Transfer) -> Bool
    /// The next bytes of the body, or none of them: see `BodyDisposition`.
    func received(_ bytes: UnsafeRawBufferPointer, of transfer: Transfer) -> BodyDisposition
    /// Nothing more comes. Not called for a transfer that was cancelled.
    func ended(_ transfer: Transfer, _ end: TransferEnd)
}
