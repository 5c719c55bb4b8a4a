internal import CFFmpeg
internal import MediaCore

extension SubtitleBitmap {
    /// The largest width and height of a canvas and of a part.
    private static let maximumSide = 16_384

    /// Copies the bitmaps of a decoded subtitle, or returns nil if it has none.
    convenience init?(_ rects: [UnsafeMutablePointer<AVSubtitleRect>], _ codec: AVCodecContext) {
        let parts = rects.compactMap { Self.part($0.pointee) }
        guard !parts.isEmpty else { return nil }
        let size = PixelSize(width: Int(codec.width), height: Int(codec.height))
        let isDeclared = !size.isEmpty && size.width <= Self.maximumSide && size.height <= Self.maximumSide
        self.init(canvas: isDeclared ? size : nil, parts: parts)
    }

    private static func part(_ rect: AVSubtitleRect) -> Part? {
        let (width, height) = (Int(rect.w), Int(rect.h))
        guard rect.type == SUBTITLE_BITMAP, let pixels = rect.data.0, let palette = rect.data.1,
            1...maximumSide ~= width, 1...maximumSide ~= height,
            -maximumSide...maximumSide ~= Int(rect.x), -maximumSide...maximumSide ~= Int(rect.y)
        else { return nil }
        var indices: [UInt8] = []
        indices.reserveCapacity(width * height)
        for row in 0..<height {
            indices += UnsafeBufferPointer(start: pixels + row * Int(rect.linesize.0), count: width)
        }
        let colors = UnsafeRawPointer(palette).withMemoryRebound(
            to: UInt32.self,
            capacity: min(256, Int(max(0, rect.nb_colors)))
        ) {
            Array(UnsafeBufferPointer(start: $0, count: min(256, Int(max(0, rect.nb_colors)))))
        }
        return Part(
            rect: PixelRect(x: Int(rect.x), y: Int(rect.y), width: width, height: height),
            colors: colors,
            pixels: indices
        )
    }
}

extension AVSubtitle {
    /// Returns the time range of the subtitle of a packet, whose own times are relative to it.
    func range(in packet: MediaTimeRange) -> MediaTimeRange {
        let start = packet.start + MediaTime(value: Int64(start_display_time), timescale: 1000)
        // The value of a subtitle that lasts until the next one.
        guard end_display_time != .max, end_display_time > start_display_time else {
            return MediaTimeRange(start: start, duration: packet.duration)
        }
        let length = Int64(end_display_time - start_display_time)
        return MediaTimeRange(start: start, duration: MediaTime(value: length, timescale: 1000))
    }
}
