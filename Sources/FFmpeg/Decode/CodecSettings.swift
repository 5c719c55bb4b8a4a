internal import CFFmpeg
internal import MediaCore

/// How a decoder's codec contexts are made: all of them alike, as often as one is needed.
struct CodecSettings {
    let parameters: CodecParameters
    let timeBase: AVRational
    let averageRate: AVRational
    let threads: ThreadPlan
    let maximumPixelCount: Int
    /// Kept from one codec context to the next.
    let framePool: FramePool?
    /// nil: the processor decodes.
    var device: HardwareDevice?
    let log: LibraryLog

    func open() throws(MediaError) -> CodecContext { try open(threads) }

    /// Where the system has no thread left, it decodes with one. It did before, and goes on.
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
