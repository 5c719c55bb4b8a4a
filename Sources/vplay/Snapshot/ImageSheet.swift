import PlayheadCore

/// A sheet of images of one size in columns and rows, on black.
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

    /// Returns the rectangle of the image with an index from 0. The order is left to right, then down.
    func rect(_ index: Int) -> PixelRect {
        PixelRect(
            x: index % grid.columns * tile.width,
            y: index / grid.columns * tile.height,
            width: tile.width,
            height: tile.height
        )
    }

    /// Draws an image, which must be rgb24 and have the size of a tile.
    mutating func place(_ image: VideoFrame, at index: Int) {
        let rect = rect(index)
        let stride = size.width * Self.bytesPerPixel
        image.withPlanes { planes in
            guard let plane = planes.first else { return }
            for row in 0..<min(plane.rowCount, rect.height) {
                let line = UnsafeRawBufferPointer(
                    start: plane.baseAddress + row * plane.bytesPerRow,
                    count: min(plane.bytesUsedPerRow, rect.width * Self.bytesPerPixel)
                )
                let start = (rect.y + row) * stride + rect.x * Self.bytesPerPixel
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
            storage: PackedFrameStorage(bytes, rowCount: size.height)
        )
    }
}
