internal import CFFmpeg
package import MediaCore
import PlayheadBackend

/// A video converter that scales, rotates and converts frames with libswscale.
///
/// `@unchecked Sendable`: the members are used by one call at a time, as `VideoConverter` requires.
package final class FFmpegVideoConverter: VideoConverter, @unchecked Sendable {
    // Each step of a conversion has a scaler of its own, so that contexts are not recreated for every frame.
    let scaler = Scaler()
    let croppingScaler = Scaler()
    let outputScaler = Scaler()
    let painter = BarPainter()
    let pool = FrameMemoryPool()

    package init() {}

    package func convert(
        _ frame: VideoFrame,
        to pixelFormat: PixelFormat,
        size: PixelSize
    ) throws(MediaError) -> VideoFrame {
        if frame.pixelFormat == pixelFormat && frame.size == size { return frame }
        return try withoutFloats(frame, to: pixelFormat) { frame, pixelFormat throws(MediaError) in
            try convert(
                frame,
                to: pixelFormat ?? frame.pixelFormat,
                size: size,
                colorsOf: frame.format,
                with: scaler
            )
        }
    }

    package func convertToSDR(
        _ frame: VideoFrame,
        to pixelFormat: PixelFormat?,
        geometry: VideoGeometry?,
        background: Color
    ) throws(MediaError) -> VideoFrame {
        try withoutFloats(frame, to: pixelFormat) { frame, pixelFormat throws(MediaError) in
            if let geometry {
                return try layOut(frame, to: pixelFormat, geometry, background, toSDR: true)
            }
            return try convert(
                frame,
                to: pixelFormat ?? writable(frame.pixelFormat),
                size: frame.size,
                colorsOf: frame.format,
                with: scaler,
                toSDR: true
            )
        }
    }

    /// Converts a frame. `original` is the format whose colors the frame has; its size selects the matrix if the stream
    /// does not declare one.
    func convert(
        _ frame: VideoFrame,
        to pixelFormat: PixelFormat,
        size: PixelSize,
        colorsOf original: VideoFormat,
        with scaler: Scaler,
        toSDR: Bool = false
    ) throws(MediaError) -> VideoFrame {
        let toSDR = toSDR && frame.format.color.isHDR
        if frame.pixelFormat == pixelFormat && frame.size == size && !toSDR { return frame }
        let (from, to) = try Self.formats(of: frame, to: pixelFormat, size: size)
        var colorReference = frame.format
        colorReference.size = original.size
        let colors = ColorConversion(colorReference, from: from, to: to, toSDR: toSDR)
        var result = frame
        result.format.pixelFormat = pixelFormat
        result.format.size = size
        result.format.pixelAspectRatio = frame.format.shape.scaled(to: size).pixelAspectRatio
        colors.describe(&result.format)
        let output = try pool.frame(size: size, format: to)
        try frame.readPlanes { planes throws(MediaError) in
            try scaler.scale(
                planes,
                into: PlaneLayout.planes(output.pointer.pointee),
                Scaler.Plan(
                    source: frame.size,
                    sourceFormat: from,
                    target: size,
                    targetFormat: to,
                    colors: colors
                )
            )
        }
        result.storage = FFmpegVideoStorage(output)
        return result
    }

    /// Returns the pixel formats that libswscale reads and writes. Throws an error if the conversion is not supported.
    static func formats(
        of frame: VideoFrame,
        to pixelFormat: PixelFormat,
        size: PixelSize
    ) throws(MediaError) -> (from: AVPixelFormat, to: AVPixelFormat) {
        let from = av_get_pix_fmt(frame.pixelFormat.rawValue)
        let to = av_get_pix_fmt(pixelFormat.rawValue)
        guard sws_isSupportedInput(from) != 0, sws_isSupportedOutput(to) != 0 else {
            throw MediaError(
                .conversionFailed,
                "unsupported conversion from \(frame.pixelFormat) to \(pixelFormat)"
            )
        }
        guard av_image_check_size(UInt32(clamping: size.width), UInt32(clamping: size.height), 0, nil) >= 0,
            !size.isEmpty, !frame.size.isEmpty
        else {
            throw MediaError(.conversionFailed, "cannot scale frames to \(size)")
        }
        return (from, to)
    }
}
