import Playhead
import Synchronization

/// Tells where a film is cut: where the brightness of its rows changes at once.
final class CutFinder: VideoSink {
    let acceptedPixelFormats: [PixelFormat] = [.gray]  // anything else is converted to it
    private let last = Mutex([Int]())  // the brightness of each row of the last picture

    func start(_ format: VideoFormat) { flush() }  // before the first picture, and when the format changes
    func flush() { last.withLock { $0 = [] } }  // a seek, another item: what was shown is history
    func finish() {}  // once; nothing follows

    func present(_ frame: VideoFrame) {  // it is due now
        let rows = frame.withPlanes { planes in  // the decoder's own memory, in here alone
            (0..<planes[0].rowCount).map { row in
                let start = planes[0].baseAddress + row * planes[0].bytesPerRow
                let samples = UnsafeRawBufferPointer(start: start, count: planes[0].bytesUsedPerRow)
                return samples.reduce(0) { $0 + Int($1) }
            }
        }
        var before = rows
        last.withLock { swap(&$0, &before) }
        let change = zip(before, rows).reduce(0) { $0 + abs($1.0 - $1.1) }
        if change > rows.reduce(0, +) / 4 { print("a cut at", frame.presentationTime.seconds) }
    }
}
