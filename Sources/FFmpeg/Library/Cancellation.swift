internal import CFFmpeg
internal import Synchronization

/// A flag that is raised once and never lowered.
///
/// It lives on the heap by itself, so that libav's interrupt callback may ask it at any time, whatever has
/// become of the demuxer.
final class Cancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    var isCancelled: Bool { flag.load(ordering: .acquiring) }
    func cancel() { flag.store(true, ordering: .releasing) }

    /// A callback that holds its own reference to this flag; balance with `release(_:)` once the context that
    /// it was installed on is gone.
    func makeInterruptCallback() -> AVIOInterruptCB {
        AVIOInterruptCB(
            callback: { opaque in
                guard let opaque else { return 0 }
                return Unmanaged<Cancellation>.fromOpaque(opaque).takeUnretainedValue().isCancelled ? 1 : 0
            },
            opaque: Unmanaged.passRetained(self).toOpaque()
        )
    }

    static func release(_ callback: AVIOInterruptCB) {
        guard let opaque = callback.opaque else { return }
        Unmanaged<Cancellation>.fromOpaque(opaque).release()
    }
}
