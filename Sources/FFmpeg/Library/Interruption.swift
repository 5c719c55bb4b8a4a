internal import CFFmpeg
internal import MediaCore

/// The interruption of a demuxer's calls into libav: the reading context, and whether it has interrupted the current
/// call.
///
/// It is confined to the demuxer's lane, except for the context, which any thread may use.
final class Interruption {
    let context: ReadContext
    /// Whether a read of the current call was interrupted. The result of the call is then undefined: libav may report
    /// the end of the file or return half a packet.
    private(set) var wasInterrupted = false
    /// The number of bytes that the current call has read.
    private var byteCount = 0

    /// The number of bytes after which an interrupted call is aborted. A call that has read more is searching for valid
    /// data in bytes that contain none. Calls that read less end by themselves, and are not aborted so that their bytes
    /// need not be read again.
    private static let uninterruptibleByteCount = 1 << 20

    init(_ context: ReadContext) { self.context = context }

    /// Whether the demuxer has been cancelled.
    var isCancelled: Bool { context.isCancelled }
    /// Whether the result of the current call must be discarded.
    var isAborted: Bool { wasInterrupted || isCancelled }

    /// Begins a call into libav.
    func beginCall() {
        wasInterrupted = false
        byteCount = 0
    }

    func recordRead(byteCount count: Int) { byteCount &+= count }

    /// Returns true if the current call must read no more, and marks it as interrupted.
    func mustAbort() -> Bool {
        guard isCancelled || byteCount > Self.uninterruptibleByteCount && context.isInterrupted else {
            return false
        }
        markInterrupted()
        return true
    }

    func markInterrupted() { wasInterrupted = true }

    /// Returns the callback by which libav checks for interruptions when it waits itself. The callback retains the
    /// context, so it remains valid after the demuxer has been released. Balance it with `release(_:)` once the object
    /// that uses it has been closed.
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
