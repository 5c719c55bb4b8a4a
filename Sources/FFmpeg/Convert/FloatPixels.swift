internal import CFFmpeg
internal import MediaCore

/// Frames of the format `PixelFormat.rgbf32`, which libav does not have in every version. They are converted from and to
/// formats of libav with the same values.
enum FloatPixels {
    /// Returns the format that a frame is converted to first: planar floating point for YUV, otherwise integers, so that
    /// 0, 1/255 ... 1 are exact.
    static func intermediate(for source: PixelFormat) -> PixelFormat {
        let format = av_get_pix_fmt(source.rawValue)
        guard PixelFormats.isRGB(format) || PixelFormats.isGray(format) else { return planar }
        return PixelFormats.depth(format) <= 8 ? .rgb24 : rgb48
    }

    private static let planar = PixelFormat(rawValue: "gbrpf32")
    private static let rgb48 = PixelFormat(rawValue: "rgb48")

    /// Returns a frame in one of the formats that `intermediate(for:)` returns as floating point. Samples are clamped
    /// to 0...1.
    static func packed(_ frame: VideoFrame) -> VideoFrame {
        let (width, height) = (frame.size.width, frame.size.height)
        let samples = [Float](unsafeUninitializedCapacity: 3 * width * height) { samples, count in
            count = 3 * width * height
            samples.initialize(repeating: 0)
            guard let target = samples.baseAddress else { return }
            frame.withPlanes { planes in
                for row in 0..<height {
                    let pixels = target + 3 * width * row
                    switch frame.pixelFormat {
                    case .rgb24:
                        read(planes[0], row, UInt8.self, 3 * width) { pixels[$0] = Float($1) / 255 }
                    case rgb48:
                        read(planes[0], row, UInt16.self, 3 * width) { pixels[$0] = Float($1) / 65_535 }
                    default:
                        // The planes are green, blue, red.
                        for (plane, channel) in zip(planes, [1, 2, 0]) {
                            read(plane, row, Float.self, width) { column, value in
                                pixels[3 * column + channel] = value.isNaN ? 0 : max(0, min(1, value))
                            }
                        }
                    }
                }
            }
        }
        var result = frame
        result.format.pixelFormat = .rgbf32
        result.storage = PackedFrameStorage(samples, rowCount: frame.size.height)
        return result
    }

    /// Returns a frame of the format `rgbf32` as integers, rounded to the nearest value: 8 bits for a target with at
    /// most as many, otherwise 16 bits.
    ///
    /// - Throws: `MediaError` with the code `.conversionFailed` if the frame does not have the memory that its format
    ///   requires.
    static func integers(_ frame: VideoFrame, for target: PixelFormat) throws(MediaError) -> VideoFrame {
        let wanted = av_get_pix_fmt(target.rawValue)
        let format = (1...8).contains(PixelFormats.depth(wanted)) ? PixelFormat.rgb24 : rgb48
        let output = try FrameOwner(size: frame.size, format: av_get_pix_fmt(format.rawValue))
        let (width, height) = (frame.size.width, frame.size.height)
        try frame.readPlanes { planes throws(MediaError) in
            guard let source = planes.first, source.rowCount >= height, source.bytesUsedPerRow >= 12 * width,
                let plane = PlaneLayout.planes(output.pointer.pointee).first
            else {
                throw MediaError(.conversionFailed, "a frame in pixel format rgbf32 has too little memory")
            }
            for row in 0..<height {
                let start = UnsafeMutableRawPointer(mutating: plane.baseAddress) + row * plane.bytesPerRow
                if format == .rgb24 {
                    let pixels = start.assumingMemoryBound(to: UInt8.self)
                    read(source, row, Float.self, 3 * width) { pixels[$0] = UInt8(scaled($1, 255)) }
                } else {
                    let pixels = start.assumingMemoryBound(to: UInt16.self)
                    read(source, row, Float.self, 3 * width) { pixels[$0] = UInt16(scaled($1, 65_535)) }
                }
            }
        }
        var result = frame
        result.format.pixelFormat = format
        result.format.color.matrix = "gbr"
        result.format.color.isFullRange = true
        result.storage = FFmpegVideoStorage(output)
        return result
    }

    private static func scaled(_ value: Float, _ white: Float) -> Float {
        value.isNaN ? 0 : max(0, min(white, (value * white).rounded()))
    }

    private static func read<Sample: BitwiseCopyable>(
        _ plane: VideoPlane,
        _ row: Int,
        _ type: Sample.Type,
        _ count: Int,
        _ body: (Int, Sample) -> Void
    ) {
        let start = plane.baseAddress + row * plane.bytesPerRow
        for index in 0..<count {
            body(index, start.loadUnaligned(fromByteOffset: index * MemoryLayout<Sample>.size, as: type))
        }
    }
}

extension FFmpegVideoConverter {
    /// Runs a conversion between formats of libav. Frames in `rgbf32` are read and written as other formats with the
    /// same values.
    func withoutFloats(
        _ frame: VideoFrame,
        to pixelFormat: PixelFormat?,
        _ convert: (VideoFrame, PixelFormat?) throws(MediaError) -> VideoFrame
    ) throws(MediaError) -> VideoFrame {
        let target = pixelFormat ?? (frame.pixelFormat == .rgbf32 ? .rgbf32 : nil)
        guard frame.pixelFormat == .rgbf32 || target == .rgbf32 else { return try convert(frame, target) }
        // Between floating-point formats 16 bits are kept.
        let source =
            frame.pixelFormat == .rgbf32 ? try FloatPixels.integers(frame, for: target ?? .rgbf32) : frame
        guard target == .rgbf32 else { return try convert(source, target) }
        return FloatPixels.packed(try convert(source, FloatPixels.intermediate(for: source.pixelFormat)))
    }
}
