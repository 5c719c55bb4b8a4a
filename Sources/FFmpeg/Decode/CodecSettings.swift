internal import CFFmpeg
internal import MediaCore

/// The parameters with which a decoder creates its codec contexts.
struct CodecSettings {
    let parameters: CodecParameters
    let timeBase: AVRational
    let averageRate: AVRational
    var threads: ThreadPlan
    let maximumPixelCount: Int
    /// The pool that is kept from one codec context to the next.
    let framePool: FramePool?
    /// The device that decodes, or nil for software decoding.
    var device: HardwareDevice?
    var log: LibraryLog

    func open() throws(MediaError) -> CodecContext { try open(threads) }

    /// Creates a context again. If the system cannot create threads, it uses one thread, so that a decoder that worked
    /// before continues to work.
    func reopen() throws(MediaError) -> CodecContext {
        do throws(MediaError) {
            return try open(threads)
        } catch {
            guard threads.count > 1 else { throw error }
            return try open(ThreadPlan(count: 1, kind: .slice))
        }
    }

    private func open(_ threads: ThreadPlan) throws(MediaError) -> CodecContext {
        try CodecOpener.shared.run { () throws(MediaError) in
            try CodecContext(
                parameters: parameters.pointer,
                timeBase: timeBase,
                threads: threads,
                maximumPixelCount: maximumPixelCount,
                averageRate: averageRate,
                framePool: framePool,
                device: device,
                log: log
            )
        }
    }
}
