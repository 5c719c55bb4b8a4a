internal import CFFmpeg
package import MediaCore

/// Scales and converts pictures with libswscale.
///
/// Unchecked: the members are used by one call at a time, as `VideoConverter` demands.
package final class FFmpegVideoConverter: VideoConverter, @unchecked Sendable {
    /// libswscale's context; kept as long as sizes and formats stay the same.
    private var scaler: UnsafeMutableRawPointer?
    private var colors: Colors?
    private let log = LibraryLog()

    package init() {}

    deinit { ph_sws_free(scaler) }

    package func convert(
        _ frame: VideoFrame,
        to pixelFormat: PixelFormat,
        size: PixelSize
    ) throws(MediaError) -> VideoFrame {
        if frame.pixelFormat == pixelFormat && frame.size == size { return frame }
        let from = av_get_pix_fmt(frame.pixelFormat.rawValue)
        let to = av_get_pix_fmt(pixelFormat.rawValue)
        guard sws_isSupportedInput(from) != 0, sws_isSupportedOutput(to) != 0 else {
            throw MediaError(.conversionFailed, "\(frame.pixelFormat) cannot be converted to \(pixelFormat)")
        }
        guard av_image_check_size(UInt32(clamping: size.width), UInt32(clamping: size.height), 0, nil) >= 0,
            !size.isEmpty, !frame.size.isEmpty
        else {
            throw MediaError(.conversionFailed, "pictures cannot be scaled to \(size)")
        }
        var format = frame.format
        format.pixelFormat = pixelFormat
        format.size = size
        format.pixelAspectRatio = FFmpegVideoConverter.aspect(frame.format, scaledTo: size)
        let wanted = Colors(frame.format, from: from, to: to)
        wanted.describe(&format.color)
        let output = try makeOutput(size: size, format: to)
        try prepare(frame, from: from, to: to, size: size, colors: wanted)
        try scale(frame, format: from, into: output)
        var result = frame
        result.format = format
        result.storage = FFmpegVideoStorage(output)
        return result
    }

    func makeOutput(size: PixelSize, format: AVPixelFormat) throws(MediaError) -> FrameOwner {
        let output = try FrameOwner()
        output.pointer.pointee.width = Int32(clamping: size.width)
        output.pointer.pointee.height = Int32(clamping: size.height)
        output.pointer.pointee.format = format.rawValue
        let code = av_frame_get_buffer(output.pointer, 0)
        if code < 0 { throw LibraryError.make(code, "no memory for a picture", fallback: .resourceLimit) }
        return output
    }

    private func prepare(
        _ frame: VideoFrame,
        from: AVPixelFormat,
        to: AVPixelFormat,
        size: PixelSize,
        colors wanted: Colors
    ) throws(MediaError) {
        let before = scaler
        let made = log.capture {
            ph_sws_cached(
                before,
                Int32(clamping: frame.size.width),
                Int32(clamping: frame.size.height),
                PixelFormats.withoutRange(from),
                Int32(clamping: size.width),
                Int32(clamping: size.height),
                PixelFormats.withoutRange(to),
                SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT
            )
        }
        scaler = made
        guard let made else {
            throw MediaError(.conversionFailed, "the scaler cannot be set up", libraryLog: log.text)
        }
        if made == before && colors == wanted { return }
        colors = wanted
        // A refusal means that no matrix is involved, as between two RGB formats.
        _ = ph_sws_set_colors(
            made,
            wanted.sourceMatrix,
            wanted.sourceIsFull ? 1 : 0,
            wanted.targetMatrix,
            wanted.targetIsFull ? 1 : 0
        )
    }

    private func scale(_ frame: VideoFrame, format: AVPixelFormat, into output: FrameOwner) throws(MediaError)
    {
        let input = try FrameOwner()
        let rows = frame.withPlanes { planes -> Int32 in
            // Borrowed for this call only: nothing is owned, so nothing is freed with the frame.
            let raw = input.pointer
            raw.pointee.width = Int32(clamping: frame.size.width)
            raw.pointee.height = Int32(clamping: frame.size.height)
            raw.pointee.format = format.rawValue
            PixelFormats.borrow(planes, into: raw)
            return log.capture { ph_sws_scale(scaler, raw, output.pointer) }
        }
        if rows < 0 {
            throw LibraryError.make(rows, "a picture cannot be scaled", fallback: .conversionFailed, log: log)
        }
    }

    /// The pixel aspect that keeps the picture's shape when only its pixel count changes.
    private static func aspect(_ format: VideoFormat, scaledTo size: PixelSize) -> Rational {
        guard format.size != size, format.pixelAspectRatio.isPositive else { return format.pixelAspectRatio }
        let top = Int64(format.pixelAspectRatio.numerator).multipliedReportingOverflow(
            by: Int64(format.size.width) &* Int64(size.height)
        )
        let bottom = Int64(format.pixelAspectRatio.denominator).multipliedReportingOverflow(
            by: Int64(format.size.height) &* Int64(size.width)
        )
        guard !top.overflow, !bottom.overflow, top.partialValue > 0, bottom.partialValue > 0 else {
            return format.pixelAspectRatio
        }
        var (numerator, denominator): (Int32, Int32) = (1, 1)
        av_reduce(&numerator, &denominator, top.partialValue, bottom.partialValue, Int64(Int32.max))
        return numerator > 0 && denominator > 0 ? Rational(numerator, denominator) : format.pixelAspectRatio
    }
}

/// The matrix and range of both ends of a conversion.
private struct Colors: Equatable {
    var sourceMatrix: Int32
    var sourceIsFull: Bool
    var targetMatrix: Int32
    var targetIsFull: Bool
    private let targetIsRGB: Bool
    private let sourceIsRGB: Bool

    /// Pictures keep their matrix and range; RGB has no matrix and always the full range. What the stream
    /// leaves open is taken as BT.709 above 576 lines and BT.601 below.
    init(_ format: VideoFormat, from: AVPixelFormat, to: AVPixelFormat) {
        sourceIsRGB = PixelFormats.isRGB(from)
        targetIsRGB = PixelFormats.isRGB(to)
        let guess = format.size.height > 576 ? SWS_CS_ITU709 : SWS_CS_ITU601
        let matrix: Int32 =
            switch format.color.matrix {
            case "bt709": SWS_CS_ITU709
            case "fcc": SWS_CS_FCC
            case "bt470bg", "smpte170m": SWS_CS_ITU601
            case "smpte240m": SWS_CS_SMPTE240M
            case "bt2020nc", "bt2020c": SWS_CS_BT2020
            default: guess
            }
        sourceMatrix = matrix
        targetMatrix = matrix
        let isFull = format.color.isFullRange ?? ColorNames.isFullRangeByName(from)
        sourceIsFull = isFull || sourceIsRGB
        targetIsFull = targetIsRGB || ColorNames.isFullRangeByName(to) || (isFull && !sourceIsRGB)
    }

    /// Says what the converted picture is.
    func describe(_ color: inout ColorDescription) {
        if targetIsRGB {
            color.matrix = "gbr"
            color.isFullRange = true
            color.chromaLocation = nil
        } else {
            if sourceIsRGB { color.matrix = targetMatrix == SWS_CS_ITU709 ? "bt709" : "smpte170m" }
            if sourceIsRGB || targetIsFull != sourceIsFull { color.isFullRange = targetIsFull }
        }
    }
}
