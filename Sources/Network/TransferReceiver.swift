internal import CCurl
internal import Glibc
internal import MediaCore

/// Receives the events of a transfer on the thread of the transfer loop. Implementations must not block.
protocol TransferReceiver: AnyObject, Sendable {
    /// Receives the complete response headers. Returns false to end the transfer without its body.
    func received(_ head: ResponseHead, of transfer: Transfer) -> Bool
    /// Receives bytes of the body. See `BodyDisposition`.
    func received(_ bytes: UnsafeRawBufferPointer, of transfer: Transfer) -> BodyDisposition
    /// Receives the end of the transfer. Not called after the transfer was cancelled.
    func ended(_ transfer: Transfer, _ end: TransferEnd)
}
