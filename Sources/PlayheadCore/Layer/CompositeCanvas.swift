import MediaCore

/// A picture of opaque 32-bit pixels, in which regions are drawn.
struct CompositeCanvas {
    /// The format of the picture: four bytes per pixel, blue, green, red, and one that is not used.
    static let pictureFormat = PixelFormat(rawValue: "bgr0")
    /// The formats of frames that can be drawn: with straight alpha, or as the picture.
    static let regionFormats = [PixelFormat.bgra, pictureFormat]

    let size: PixelSize
    private var pixels: [UInt32]

    /// Creates a picture of one color.
    ///
    /// - Parameters:
    ///   - size: The size, which must not be empty.
    ///   - color: The color, blended over black.
    init(size: PixelSize, color: Color) {
        self.size = size
        let pixel = Self.blend(Self.pixel(of: color), over: Self.opaque)
        pixels = [UInt32](repeating: pixel, count: size.width * size.height)
    }

    /// The alpha component of an opaque pixel.
    private static let opaque: UInt32 = 0xFF00_0000

    /// Returns the pixel of a color. Components outside of 0 to 1 are clamped, and a NaN counts as 0.
    private static func pixel(of color: Color) -> UInt32 {
        let parts = [color.alpha, color.red, color.green, color.blue]
        return parts.reduce(0) { $0 << 8 | UInt32(($1.isNaN ? 0 : max(0, min(1, $1))) * 255 + 0.5) }
    }

    /// Returns a pixel with straight alpha drawn over an opaque one.
    private static func blend(_ pixel: UInt32, over below: UInt32) -> UInt32 {
        let alpha = pixel >> 24
        if alpha == 255 { return pixel }
        if alpha == 0 { return below }
        func part(_ shift: UInt32) -> UInt32 {
            let sum = (pixel >> shift & 255) * alpha + (below >> shift & 255) * (255 - alpha)
            return ((sum + 127) / 255) << shift
        }
        return opaque | part(16) | part(8) | part(0)
    }

    /// The part of a rectangle that lies in the picture, or nil if there is none.
    private func clipped(_ rect: PixelRect) -> (columns: Range<Int>, rows: Range<Int>)? {
        rect.clipped(to: size).map { ($0.x..<$0.x + $0.width, $0.y..<$0.y + $0.height) }
    }

    /// Fills a rectangle with a color, which is blended over the pixels below.
    mutating func fill(_ rect: PixelRect, _ color: Color) {
        let pixel = Self.pixel(of: color)
        guard pixel >> 24 != 0, let (columns, rows) = clipped(rect) else { return }
        let width = size.width
        pixels.withUnsafeMutableBufferPointer { pixels in
            for row in rows {
                for index in (row * width + columns.lowerBound)..<(row * width + columns.upperBound) {
                    pixels[index] = Self.blend(pixel, over: pixels[index])
                }
            }
        }
    }

    /// Draws a frame with its top left corner in that of a rectangle, and clips it to the rectangle.
    ///
    /// - Parameters:
    ///   - frame: A frame in one of `regionFormats`. Others are ignored.
    ///   - rect: The rectangle.
    mutating func draw(_ frame: VideoFrame, in rect: PixelRect) {
        guard Self.regionFormats.contains(frame.pixelFormat) else { return }
        let isOpaque = frame.pixelFormat == Self.pictureFormat
        let visible = PixelRect(
            x: rect.x,
            y: rect.y,
            width: min(rect.width, frame.size.width),
            height: min(rect.height, frame.size.height)
        )
        guard let (columns, rows) = clipped(visible) else { return }
        let width = size.width
        frame.withPlanes { planes in
            guard let plane = planes.first else { return }
            pixels.withUnsafeMutableBufferPointer { pixels in
                for row in rows.prefix(max(0, plane.rowCount - (rows.lowerBound - rect.y))) {
                    let source = plane.baseAddress + (row - rect.y) * plane.bytesPerRow
                    let used = min(columns.upperBound, rect.x + plane.bytesUsedPerRow / 4)
                    for column in columns.lowerBound..<max(columns.lowerBound, used) {
                        // The decoder's memory need not be aligned for four bytes.
                        let offset = (column - rect.x) * 4
                        var pixel = source.loadUnaligned(fromByteOffset: offset, as: UInt32.self).littleEndian
                        if isOpaque { pixel |= Self.opaque }
                        let index = row * width + column
                        pixels[index] = pixel >= Self.opaque ? pixel : Self.blend(pixel, over: pixels[index])
                    }
                }
            }
        }
    }

    /// Returns the picture as a frame.
    ///
    /// - Parameters:
    ///   - time: The presentation time.
    ///   - duration: The duration.
    func makeFrame(at time: MediaTime, duration: MediaTime) -> VideoFrame {
        VideoFrame(
            format: VideoFormat(pixelFormat: Self.pictureFormat, size: size),
            presentationTime: time,
            duration: duration,
            isKeyFrame: true,
            sourceTime: SourceTime(ticks: nil, timeBase: Rational(1, 1)),
            storage: PackedFrameStorage(pixels, rowCount: size.height)
        )
    }
}
