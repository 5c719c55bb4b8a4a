import Playhead

/// A sink that keeps what it receives.
final class RecordingSink: VideoSink {
    let acceptedPixelFormats: [PixelFormat]
    let frames = Locked<[VideoFrame]>([])
    let calls = Locked<[String]>([])

    init(_ formats: [PixelFormat] = []) { acceptedPixelFormats = formats }

    func start(_ format: VideoFormat) {
        calls.withLock { $0.append("start \(format.size.width)x\(format.size.height)") }
    }
    func present(_ frame: VideoFrame) {
        frames.withLock { $0.append(frame) }
        calls.withLock { $0.append("present") }
    }
    func flush() { calls.withLock { $0.append("flush") } }
    func finish() { calls.withLock { $0.append("finish") } }

    var sizes: [PixelSize] { frames.withLock { $0.map(\.size) } }
    /// The time bases of the frames, which tell scripts with different frame rates apart.
    var rates: [Int32] { frames.withLock { $0.map(\.sourceTime.timeBase.denominator) } }
}
