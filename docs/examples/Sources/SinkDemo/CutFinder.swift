import Playhead
import Synchronization

/// Tells where the picture changes at once: a sink that looks at every picture and keeps none.
final class CutFinder: VideoSink {
    /// Any picture has a plane of grey, or is converted to one that has.
    let acceptedPixelFormats: [PixelFormat] = [.gray]
    private let last = Mutex([Int]())
    private let found: @Sendable (MediaTime) -> Void

    init(found: @escaping @Sendable (MediaTime) -> Void) { self.found = found }

    func start(_ format: VideoFormat) { last.withLock { $0 = [] } }
    func flush() { last.withLock { $0 = [] } }
    func finish() {}

    func present(_ frame: VideoFrame) {
        let brightness = frame.withPlanes { planes in Self.histogram(planes[0]) }
        let before = last.withLock { last in
            defer { last = brightness }
            return last
        }
        guard before.count == brightness.count else { return }
        let moved = zip(before, brightness).reduce(0) { $0 + abs($1.0 - $1.1) }
        let all = brightness.reduce(0, +)
        if moved > all / 2 { found(frame.presentationTime) }
    }

    /// How many pixels there are of each of 16 shades.
    private static func histogram(_ plane: VideoPlane) -> [Int] {
        var counts = [Int](repeating: 0, count: 16)
        for row in 0..<plane.rowCount {
            let start = plane.baseAddress + row * plane.bytesPerRow
            for sample in UnsafeRawBufferPointer(start: start, count: plane.bytesUsedPerRow) {
                counts[Int(sample >> 4)] += 1
            }
        }
        return counts
    }
}
