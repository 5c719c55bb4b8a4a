import Playhead

/// An RGB image to draw on.
struct Canvas {
    typealias Pixel = (UInt8, UInt8, UInt8)
    let width: Int
    let height: Int
    private var bytes: [UInt8]

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        bytes = [UInt8](repeating: 40, count: width * height * 3)
    }

    mutating func fill(_ x: Int, _ y: Int, _ w: Int, _ h: Int, _ color: Pixel) {
        for row in max(0, y)..<max(0, y, min(height, y + h)) {
            for column in max(0, x)..<max(0, x, min(width, x + w)) {
                let place = (row * width + column) * 3
                (bytes[place], bytes[place + 1], bytes[place + 2]) = color
            }
        }
    }

    /// Draws a frame in rgb24 that has the size of its cell.
    mutating func draw(_ frame: VideoFrame, _ x: Int, _ y: Int) {
        frame.withPlanes { planes in
            guard let plane = planes.first, frame.pixelFormat == .rgb24 else { return }
            for row in 0..<plane.rowCount where (0..<height).contains(y + row) {
                let source = plane.baseAddress + row * plane.bytesPerRow
                for column in 0..<min(plane.bytesUsedPerRow / 3, width - x) {
                    for part in 0..<3 {
                        bytes[((y + row) * width + x + column) * 3 + part] =
                            source.load(fromByteOffset: column * 3 + part, as: UInt8.self)
                    }
                }
            }
        }
    }

    var frame: VideoFrame {
        VideoFrame(
            format: VideoFormat(pixelFormat: .rgb24, size: PixelSize(width: width, height: height)),
            presentationTime: .zero,
            duration: .invalid,
            isKeyFrame: true,
            sourceTime: SourceTime(ticks: nil, timeBase: Rational(1, 1)),
            storage: Storage(bytes: bytes, rowCount: height, bytesPerRow: width * 3)
        )
    }

    private final class Storage: VideoFrameStorage {
        let bytes: [UInt8]
        let rowCount: Int
        let bytesPerRow: Int
        var byteCount: Int { bytes.count }

        init(bytes: [UInt8], rowCount: Int, bytesPerRow: Int) {
            (self.bytes, self.rowCount, self.bytesPerRow) = (bytes, rowCount, bytesPerRow)
        }

        func withPlanes<R>(_ body: ([VideoPlane]) throws -> R) rethrows -> R {
            try bytes.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return try body([]) }
                return try body([
                    VideoPlane(
                        baseAddress: base,
                        bytesPerRow: bytesPerRow,
                        bytesUsedPerRow: bytesPerRow,
                        rowCount: rowCount
                    )
                ])
            }
        }
    }
}
