import Playhead
import Synchronization

/// A sink that prints the cuts of a film: the frames at which the brightness of the rows changes abruptly.
final class CutFinder: VideoSink {
    let acceptedPixelFormats: [PixelFormat] = [.gray]  // the player converts other formats
    private let last = Mutex([Int]())  // the brightness of each row of the previous frame

    func start(_ format: VideoFormat) { flush() }  // before the first frame, and at a new format
    func flush() { last.withLock { $0 = [] } }  // called after a seek or an item change
    func finish() {}  // called once, as the last call

    func present(_ frame: VideoFrame) {  // called when the frame is due
        let rows = frame.withPlanes { planes in  // the decoder's memory, valid only in this closure
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
