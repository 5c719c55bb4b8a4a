import Playhead

/// Images of one size, laid out in columns and rows on black.
struct ImageSheet {
    private let grid: GridArgument
    private let tile: PixelSize
    private var bytes: [UInt8]

    private static let bytesPerPixel = 3

    private var size: PixelSize {
        PixelSize(width: tile.width * grid.columns, height: tile.height * grid.rows)
    }

    init(_ grid: GridArgument, tile: PixelSize) {
        self.grid = grid
        self.tile = tile
        bytes = [UInt8](
            repeating: 0,
            count: tile.width * grid.columns * tile.height * grid.rows * Self.bytesPerPixel
        )
    }

    /// Where the image with that index lies, from 0: left to right, then down.
    func place(_ index: Int) -> PixelRect {
        PixelRect(
            x: index % grid.columns * tile.width,
            y: index / grid.columns * tile.height,
            width: tile.width,
            height: tile.height
        )
    }

    /// `image`: rgb24, of the tile's size.
    mutating func place(_ image: VideoFrame, at index: Int) {
        let place = place(index)
        let stride = size.width * Self.bytesPerPixel
        image.withPlanes { planes in
            guard let plane = planes.first else { return }
            for row in 0..<min(plane.rowCount, place.height) {
                let line = UnsafeRawBufferPointer(
                    start: plane.baseAddress + row * plane.bytesPerRow,
                    count: min(plane.bytesUsedPerRow, place.width * Self.bytesPerPixel)
                )
                let start = (place.y + row) * stride + place.x * Self.bytesPerPixel
                bytes.replaceSubrange(start..<start + line.count, with: line)
            }
        }
    }

    func frame() -> VideoFrame {
        var format = VideoFormat(pixelFormat: .rgb24, size: size)
        format.color.isFullRange = true
        return VideoFrame(
            format: format,
            presentationTime: .zero,
            duration: .invalid,
            isKeyFrame: true,
            sourceTime: SourceTime(ticks: nil, timeBase: Rational(1, 1)),
            storage: Pixels(bytes, stride: size.width * Self.bytesPerPixel)
        )
    }

    /// Rows without padding.
    private final class Pixels: VideoFrameStorage {
        private let bytes: [UInt8]
        private let stride: Int
        var byteCount: Int { bytes.count }

        init(_ bytes: [UInt8], stride: Int) {
            self.bytes = bytes
            self.stride = stride
        }

        func withPlanes<R>(_ body: ([VideoPlane]) throws -> R) rethrows -> R {
            try bytes.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else { return try body([]) }
                let plane = VideoPlane(
                    baseAddress: start,
                    bytesPerRow: stride,
                    bytesUsedPerRow: stride,
                    rowCount: bytes.count / stride
                )
                return try body([plane])
            }
        }
    }
}
