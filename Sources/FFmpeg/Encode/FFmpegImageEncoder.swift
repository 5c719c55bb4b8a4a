internal import CFFmpeg
package import MediaCore

/// Encodes frames as image files with libavcodec. One context is used for consecutive frames of the same size and
/// format. It is not thread-safe.
package final class FFmpegImageEncoder {
    private let format: ImageFileFormat
    private let quality: Int
    private let scaler = Scaler()
    private let log = LibraryLog()
    private var encoder: Encoder?

    /// The quality if none is specified: hard to distinguish from the original, at a tenth of the size of a PNG.
    private static let defaultQuality = 90

    /// Creates an encoder. `quality` is 1 to 100 and applies to lossy formats.
    package init(_ format: ImageFileFormat, quality: Int?) {
        self.format = format
        self.quality = min(max(quality ?? Self.defaultQuality, 1), 100)
    }

    /// Returns the bytes of the image file. The frame is encoded as it is in memory: it is not rotated, and its pixels
    /// are treated as square.
    package func encode(_ frame: VideoFrame) throws(MediaError) -> [UInt8] {
        log.clear()
        let frame = frame.pixelFormat == .rgbf32 ? try FloatPixels.integers(frame, for: .rgb24) : frame
        let pixelFormat = pixelFormat(for: frame)
        let encoderFrame = try makeEncoderFrame(of: frame, pixelFormat)
        let encoder = try opened(frame.size, pixelFormat)
        do throws(MediaError) {
            return try encoder.encode(encoderFrame)
        } catch {
            self.encoder = nil
            throw error
        }
    }

    private func opened(_ size: PixelSize, _ pixelFormat: AVPixelFormat) throws(MediaError) -> Encoder {
        if let encoder, encoder.size == size, encoder.pixelFormat == pixelFormat { return encoder }
        let made = try Encoder(format, quality, size, pixelFormat, log)
        encoder = made
        return made
    }

    private func pixelFormat(for frame: VideoFrame) -> AVPixelFormat {
        let source = av_get_pix_fmt(frame.pixelFormat.rawValue)
        // The colors of a palette may be transparent.
        let hasAlpha = PixelFormats.hasAlpha(source) || PixelFormats.hasPalette(source)
        return switch format {
        case .png:
            hasAlpha ? AV_PIX_FMT_RGBA : frame.pixelFormat == .gray ? AV_PIX_FMT_GRAY8 : AV_PIX_FMT_RGB24
        case .jpeg: AV_PIX_FMT_YUVJ420P
        case .webp: hasAlpha ? AV_PIX_FMT_BGRA : AV_PIX_FMT_YUV420P
        }
    }

    private func makeEncoderFrame(of frame: VideoFrame, _ target: AVPixelFormat) throws(MediaError)
        -> FrameOwner
    {
        let name = PixelFormat(rawValue: av_get_pix_fmt_name(target).map { String(cString: $0) } ?? "")
        let (from, to) = try FFmpegVideoConverter.formats(of: frame, to: name, size: frame.size)
        var colors = ColorConversion(frame.format, from: from, to: to)
        // Gray without a declared range is that of images, and its samples are kept.
        if !PixelFormats.isRGB(to), to != AV_PIX_FMT_GRAY8 || frame.format.color.isFullRange == false {
            colors = colors.inImageFile(to, isFull: format != .webp)
        }
        let output = try FrameOwner(size: frame.size, format: to)
        try frame.readPlanes { planes throws(MediaError) in
            try scaler.scale(
                planes,
                into: PlaneLayout.planes(output.pointer.pointee),
                Scaler.Plan(
                    source: frame.size,
                    sourceFormat: from,
                    target: frame.size,
                    targetFormat: to,
                    colors: colors
                )
            )
        }
        return output
    }
}

/// An open encoder context.
private final class Encoder {
    let size: PixelSize
    let pixelFormat: AVPixelFormat
    private let pointer: UnsafeMutablePointer<AVCodecContext>
    private let log: LibraryLog
    private var count: Int64 = 0

    init(
        _ format: ImageFileFormat,
        _ quality: Int,
        _ size: PixelSize,
        _ pixelFormat: AVPixelFormat,
        _ log: LibraryLog
    ) throws(MediaError) {
        let name =
            switch format {
            case .png: "png"
            case .jpeg: "mjpeg"
            case .webp: "libwebp"
            }
        guard let codec = avcodec_find_encoder_by_name(name) else {
            throw MediaError(.conversionFailed, "FFmpeg has no encoder for \(format.rawValue)")
        }
        guard let pointer = avcodec_alloc_context3(codec) else {
            throw MediaError(.resourceLimit, "no memory for an encoder", isRetryable: true)
        }
        self.size = size
        self.pixelFormat = pixelFormat
        self.pointer = pointer
        self.log = log
        pointer.pointee.width = Int32(clamping: size.width)
        pointer.pointee.height = Int32(clamping: size.height)
        pointer.pointee.pix_fmt = pixelFormat
        pointer.pointee.time_base = AVRational(num: 1, den: 25)
        // Images are encoded one at a time; more threads would delay the output.
        pointer.pointee.thread_count = 1
        switch format {
        case .png:
            // The filter is chosen for each row, which makes camera images a third smaller.
            av_opt_set(pointer.pointee.priv_data, "pred", "mixed", 0)
        case .jpeg:
            pointer.pointee.color_range = AVCOL_RANGE_JPEG
            pointer.pointee.qmin = 1
            pointer.pointee.flags |= AV_CODEC_FLAG_QSCALE
            // libavcodec's scale is 1 (best) to 31.
            pointer.pointee.global_quality = Int32(1 + (100 - quality) * 30 / 99) * FF_QP2LAMBDA
        case .webp:
            av_opt_set_double(pointer.pointee.priv_data, "quality", Double(quality), 0)
        }
        let code = log.capture { avcodec_open2(pointer, codec, nil) }
        // The context is freed by deinit.
        guard code >= 0 else {
            throw failure(code, "cannot encode frames of \(size) as \(format.rawValue)")
        }
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecContext>? = pointer
        log.capture { avcodec_free_context(&pointer) }
    }

    func encode(_ encoderFrame: FrameOwner) throws(MediaError) -> [UInt8] {
        encoderFrame.pointer.pointee.quality = pointer.pointee.global_quality
        encoderFrame.pointer.pointee.color_range = pointer.pointee.color_range
        // Encoders that are made for video reject a time that does not increase.
        encoderFrame.pointer.pointee.pts = count
        count += 1
        let packet = try PacketOwner()
        let code = log.capture {
            let code = avcodec_send_frame(pointer, encoderFrame.pointer)
            return code < 0 ? code : avcodec_receive_packet(pointer, packet.pointer)
        }
        guard code >= 0, let bytes = packet.pointer.pointee.data else {
            throw failure(code, "cannot encode a frame of \(size)")
        }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(max(0, packet.pointer.pointee.size))))
    }

    private func failure(_ code: Int32, _ doing: String) -> MediaError {
        LibraryError.make(code, doing, fallback: .conversionFailed, log: log)
    }
}
