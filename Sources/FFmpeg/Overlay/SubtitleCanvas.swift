internal import CASS
internal import MediaCore

/// The colors of subtitles over a rectangle of a frame.
struct SubtitleCanvas {
    /// A color: red, green, blue and alpha from 0 to 1. Red, green and blue have been multiplied by alpha.
    typealias Pixel = SIMD4<Float>

    /// A mask of libass: the coverage of each pixel by a color.
    private struct Mask {
        var bytes: UnsafePointer<UInt8>
        var bytesPerRow: Int
        var rect: PixelRect
        /// The part of `rect` in the frame.
        var visible: PixelRect
        var color: Pixel
    }

    /// The rectangle of the frame.
    let rect: PixelRect
    /// The colors, in rows without padding.
    private(set) var pixels: [Pixel]

    /// Creates a transparent canvas.
    init(_ rect: PixelRect) {
        self.rect = rect
        pixels = [Pixel](repeating: .zero, count: rect.width * rect.height)
    }

    /// Returns canvases with the masks of libass that lie in the frame. Masks that are far apart vertically are on
    /// canvases of their own, so that a line at the top and one at the bottom do not need the rows between them.
    static func canvases(_ first: UnsafePointer<ph_ass_image>?, frame: PixelSize) -> [SubtitleCanvas] {
        var masks: [Mask] = []
        var next = first
        while let image = next?.pointee {
            next = UnsafePointer(image.next)
            guard let bytes = image.mask, image.color & 0xFF < 0xFF else { continue }
            let rect = PixelRect(
                x: Int(image.x),
                y: Int(image.y),
                width: Int(image.width),
                height: Int(image.height)
            )
            guard !rect.size.isEmpty, let visible = rect.clipped(to: frame) else { continue }
            masks.append(
                Mask(
                    bytes: bytes,
                    bytesPerRow: Int(image.bytes_per_row),
                    rect: rect,
                    visible: visible,
                    color: pixel(rgbt: image.color)
                )
            )
        }
        return bands(masks.map(\.visible)).map { area in
            var canvas = SubtitleCanvas(area)
            for mask in masks where area.rows.contains(mask.visible.y) { canvas.draw(mask) }
            return canvas
        }
    }

    /// Returns rectangles that contain all given ones, at least four rows apart.
    private static func bands(_ rects: [PixelRect]) -> [PixelRect] {
        var bands: [PixelRect] = []
        for rect in rects.sorted(by: { $0.y < $1.y }) {
            // Bands share no chroma sample.
            if let last = bands.last, rect.y < last.rows.upperBound + 4 {
                bands[bands.count - 1] = PixelRect.union([last, rect]) ?? last
            } else {
                bands.append(rect)
            }
        }
        return bands
    }

    private mutating func draw(_ mask: Mask) {
        let (rect, visible) = (mask.rect, mask.visible)
        for y in visible.rows {
            let row = mask.bytes + (y - rect.y) * mask.bytesPerRow
            let line = (y - self.rect.y) * self.rect.width - self.rect.x
            for x in visible.x..<visible.x + visible.width {
                let coverage = row[x - rect.x]
                if coverage > 0 { draw(mask.color * (Float(coverage) / 255), at: line + x) }
            }
        }
    }

    /// Creates a canvas with the parts of bitmaps, scaled to the video, or returns nil if none lies in the frame.
    init?(_ bitmaps: [SubtitleBitmap], _ geometry: VideoGeometry) {
        let video = geometry.videoRect
        var parts: [(part: SubtitleBitmap.Part, columns: ScaledAxis, rows: ScaledAxis)] = []
        for bitmap in bitmaps {
            let canvas = bitmap.canvas ?? geometry.source.size
            guard !canvas.isEmpty else { continue }
            for part in bitmap.parts where part.pixels.count == part.rect.width * part.rect.height {
                let columns = ScaledAxis(part.rect.x, part.rect.width, canvas.width, video.x, video.width)
                let rows = ScaledAxis(part.rect.y, part.rect.height, canvas.height, video.y, video.height)
                parts.append((part, columns, rows))
            }
        }
        func rect(_ columns: ScaledAxis, _ rows: ScaledAxis) -> PixelRect {
            PixelRect(x: columns.start, y: rows.start, width: columns.count, height: rows.count)
        }
        let area = PixelRect.union(parts.map { rect($0.columns, $0.rows) })
        guard let area = area?.clipped(to: geometry.target) else { return nil }
        self.init(area)
        for (part, columns, rows) in parts {
            guard let visible = rect(columns, rows).clipped(to: geometry.target) else { continue }
            draw(part, columns, rows, visible)
        }
    }

    private mutating func draw(
        _ part: SubtitleBitmap.Part,
        _ columns: ScaledAxis,
        _ rows: ScaledAxis,
        _ visible: PixelRect
    ) {
        var colors = [Pixel](repeating: .zero, count: 256)
        for (index, color) in part.colors.prefix(256).enumerated() {
            // From 0xAARRGGBB.
            colors[index] = Self.pixel(rgbt: color << 8 | (255 - color >> 24))
        }
        let width = part.rect.width
        let taps = (visible.x..<visible.x + visible.width).map { columns.taps(at: $0) }
        for y in visible.rows {
            let line = (y - rect.y) * rect.width - rect.x + visible.x
            let (firstRow, rowWeights) = rows.taps(at: y)
            for (offset, (firstColumn, columnWeights)) in taps.enumerated() {
                var sum = Pixel.zero
                for (row, rowWeight) in rowWeights.enumerated() {
                    let start = (firstRow + row) * width + firstColumn
                    for (column, columnWeight) in columnWeights.enumerated() {
                        sum += colors[Int(part.pixels[start + column])] * (rowWeight * columnWeight)
                    }
                }
                draw(sum, at: line + offset)
            }
        }
    }

    private mutating func draw(_ pixel: Pixel, at index: Int) {
        pixels[index] = pixel + pixels[index] * (1 - pixel.w)
    }

    /// Returns a color 0xRRGGBBTT, where TT is 255 minus the opacity.
    private static func pixel(rgbt: UInt32) -> Pixel {
        let color = Pixel(Float(rgbt >> 24), Float(rgbt >> 16 & 0xFF), Float(rgbt >> 8 & 0xFF), 255)
        return color * (Float(255 - rgbt & 0xFF) / 255 / 255)
    }
}

extension PixelRect {
    var rows: Range<Int> { y..<y + height }

    /// Returns the smallest rectangle that contains all rectangles, or nil if there are none.
    static func union(_ rects: [PixelRect]) -> PixelRect? {
        guard let left = rects.map(\.x).min(), let top = rects.map(\.y).min(),
            let right = rects.map({ $0.x + $0.width }).max(),
            let bottom = rects.map({ $0.y + $0.height }).max()
        else { return nil }
        return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
    }
}
