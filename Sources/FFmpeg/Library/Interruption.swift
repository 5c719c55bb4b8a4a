internal import CFFmpeg
internal import MediaCore

/// What ends a demuxer's calls into libav: the reader's context, and whether it has struck in the present call.
///
/// Confined to the demuxer's lane, but for the context, which any thread may use.
final class Interruption {
    let context: ReadContext
    /// A read of the present call was interrupted. What libav makes of the call is worth nothing then: it may
    /// call it the end of the file, or return half a packet.
    private(set) var wasInterrupted = false
    /// See `Demuxer.setWaitsInCalls`.
    var waitsInCalls = false
    /// Bytes that the present call has read.
    private var byteCount = 0

    /// A call that has read so much is not about to end: libav looks for something that makes sense in bytes
    /// that do not. Calls that read less are left alone, for they end by themselves, and what they have read
    /// is not read twice.
    private static let uninterruptibleByteCount = 1 << 20

    init(_ context: ReadContext) { self.context = context }

    /// Reading is over for good.
    var isCancelled: Bool { context.isCancelled }
    /// The present call came to nothing.
    var isAborted: Bool { wasInterrupted || isCancelled }

    /// A call into libav begins.
    func beginCall() {
        wasInterrupted = false
        byteCount = 0
    }

    func recordRead(byteCount count: Int) { byteCount &+= count }

    /// True: the present call must read no more.
    func mustAbort() -> Bool {
        guard isCancelled || byteCount > Self.uninterruptibleByteCount && context.isInterrupted else {
            return false
        }
        markInterrupted()
        return true
    }

    func markInterrupted() { wasInterrupted = true }

    /// What libav asks where it waits by itself. The callback holds its own reference to the context, so it may
    /// be asked whatever has become of the demuxer; balance with `release(_:)` once what it was installed on is
    /// gone.
    func makeCallback() -> AVIOInterruptCB {
        AVIOInterruptCB(
            callback: { opaque in
                guard let opaque else { return 0 }
                return Unmanaged<ReadContext>.fromOpaque(opaque).takeUnretainedValue().isCancelled ? 1 : 0
            },
            opaque: Unmanaged.passRetained(context).toOpaque()
        )
    }

    static func release(_ callback: AVIOInterruptCB) {
        guard let opaque = callback.opaque else { return }
        Unmanaged<ReadContext>.fromOpaque(opaque).release()
    }
}
