internal import CFFmpeg
import MediaCore

/// Encodes frames and writes them to a container. It is not thread-safe.
final class MovieWriter {
    private let bridge: OutputBridge
    private let encoder: UnsafeMutablePointer<AVCodecContext>
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let log: LibraryLog
    private let packet: PacketOwner
    private let converter = FFmpegVideoConverter()
    private let size: PixelSize
    /// The time base of the capture device.
    private let sourceTimeBase: AVRational
    private var lastTicks: Int64?
    private(set) var isFinished = false

    /// The file name extensions of the supported containers.
    static let containers = ["mp4", "m4v", "mov", "mkv", "webm"]

    /// Creates a writer. `first` is the format of all frames.
    init(
        _ fileExtension: String,
        _ first: VideoFormat,
        timeBase: AVRational,
        frameRate: AVRational,
        output: any RecordingOutput
    ) throws(MediaError) {
        let log = LibraryLog()
        // Chroma samples cover two by two pixels, so the size must be even.
        let size = PixelSize(width: max(2, first.size.width & ~1), height: max(2, first.size.height & ~1))
        let bridge = try OutputBridge(output)
        var made: UnsafeMutablePointer<AVFormatContext>?
        let code = log.capture { avformat_alloc_output_context2(&made, nil, nil, "x.\(fileExtension)") }
        guard code >= 0, let context = made else {
            throw LibraryError.make(
                code,
                "no container for .\(fileExtension)",
                fallback: .invalidArgument,
                log: log
            )
        }
        let encoder: UnsafeMutablePointer<AVCodecContext>
        do throws(MediaError) {
            let format = Self.converted(first, size)
            encoder = try Self.openEncoder(fileExtension, format, size, timeBase, frameRate, context, log)
        } catch {
            avformat_free_context(context)
            throw error
        }
        do throws(MediaError) {
            packet = try PacketOwner()
            context.pointee.pb = bridge.context
            context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
            guard let stream = avformat_new_stream(context, nil) else {
                throw MediaError(.resourceLimit, "no memory for a stream", isRetryable: true)
            }
            stream.pointee.time_base = encoder.pointee.time_base
            stream.pointee.avg_frame_rate = encoder.pointee.framerate
            avcodec_parameters_from_context(stream.pointee.codecpar, encoder)
            let code = log.capture { avformat_write_header(context, nil) }
            guard code >= 0 else {
                throw bridge.failure
                    ?? LibraryError.make(code, "cannot write the header of the file", fallback: .io, log: log)
            }
        } catch {
            var encoder: UnsafeMutablePointer<AVCodecContext>? = encoder
            avcodec_free_context(&encoder)
            avformat_free_context(context)
            throw error
        }
        (self.log, self.size, self.bridge, self.encoder, self.context) = (log, size, bridge, encoder, context)
        sourceTimeBase = timeBase
    }

    deinit {
        var encoder: UnsafeMutablePointer<AVCodecContext>? = encoder
        log.capture {
            avcodec_free_context(&encoder)
            avformat_free_context(context)
        }
    }

    /// Writes a frame. `ticks` is the time since the start in the time base of the device. Returns false if the frame
    /// is skipped because its time is not later than that of the previous one.
    func write(_ frame: VideoFrame, ticks: Int64) throws(MediaError) -> Bool {
        let time = av_rescale_q(ticks, sourceTimeBase, encoder.pointee.time_base)
        if let lastTicks, time <= lastTicks { return false }
        lastTicks = time
        let name = av_get_pix_fmt_name(encoder.pointee.pix_fmt).map { String(cString: $0) } ?? ""
        let converted = try converter.convert(frame, to: PixelFormat(rawValue: name), size: size)
        guard let storage = converted.storage as? FFmpegVideoStorage else {
            throw MediaError(.conversionFailed, "cannot encode a frame: its memory is not FFmpeg's")
        }
        let owner = try FrameOwner()
        guard av_frame_ref(owner.pointer, storage.frame.pointer) >= 0 else {
            throw MediaError(.resourceLimit, "no memory for a frame", isRetryable: true)
        }
        owner.pointer.pointee.pts = time
        // The frame type that the camera's codec chose must not influence the encoder.
        owner.pointer.pointee.pict_type = AV_PICTURE_TYPE_NONE
        try encode(owner.pointer)
        return true
    }

    /// Writes the remaining frames of the encoder and the index. Nothing can be written afterwards.
    func finish() throws(MediaError) {
        guard !isFinished else { return }
        isFinished = true
        try encode(nil)
        let code = log.capture { av_write_trailer(context) }
        log.capture { avio_flush(context.pointee.pb) }
        if let failure = bridge.failure { throw failure }
        if code < 0 { throw LibraryError.make(code, "cannot complete the file", fallback: .io, log: log) }
    }

    private func encode(_ frame: UnsafeMutablePointer<AVFrame>?) throws(MediaError) {
        var code = log.capture { avcodec_send_frame(encoder, frame) }
        while code >= 0 {
            code = log.capture { avcodec_receive_packet(encoder, packet.pointer) }
            if code == PH_ERROR_EAGAIN || code == PH_ERROR_EOF { return }
            guard code >= 0, let stream = context.pointee.streams[0] else { break }
            if packet.pointer.pointee.duration == 0, encoder.pointee.framerate.num > 0 {
                let frameDuration = AVRational(
                    num: encoder.pointee.framerate.den,
                    den: encoder.pointee.framerate.num
                )
                packet.pointer.pointee.duration = av_rescale_q(1, frameDuration, encoder.pointee.time_base)
            }
            av_packet_rescale_ts(packet.pointer, encoder.pointee.time_base, stream.pointee.time_base)
            packet.pointer.pointee.stream_index = 0
            code = log.capture { av_interleaved_write_frame(context, packet.pointer) }
            if let failure = bridge.failure { throw failure }
        }
        throw LibraryError.make(code, "cannot write a frame", fallback: .io, log: log)
    }

    // MARK: Encoder

    /// Returns FFmpeg's names of the encoders, in order of preference.
    private static func encoders(_ fileExtension: String) -> [String] {
        fileExtension == "webm" ? ["libvpx-vp9", "libvpx"] : ["libx264", "libopenh264", "mpeg4"]
    }

    private static func openEncoder(
        _ fileExtension: String,
        _ format: VideoFormat,
        _ size: PixelSize,
        _ timeBase: AVRational,
        _ frameRate: AVRational,
        _ container: UnsafeMutablePointer<AVFormatContext>,
        _ log: LibraryLog
    ) throws(MediaError) -> UnsafeMutablePointer<AVCodecContext> {
        let names = encoders(fileExtension)
        guard let codec = names.lazy.compactMap({ avcodec_find_encoder_by_name($0) }).first else {
            throw MediaError(
                .conversionFailed,
                "FFmpeg has no encoder for .\(fileExtension): \(names.joined(separator: ", "))"
            )
        }
        guard let context = avcodec_alloc_context3(codec) else {
            throw MediaError(.resourceLimit, "no memory for an encoder", isRetryable: true)
        }
        context.pointee.width = Int32(clamping: size.width)
        context.pointee.height = Int32(clamping: size.height)
        context.pointee.pix_fmt = AV_PIX_FMT_YUV420P
        context.pointee.framerate = frameRate.isPositive ? frameRate : AVRational(num: 30, den: 1)
        // MPEG-4 supports no finer time base.
        context.pointee.time_base = timeBase.den <= 65_535 ? timeBase : AVRational(num: 1, den: 60_000)
        let aspect = format.pixelAspectRatio
        context.pointee.sample_aspect_ratio = AVRational(num: aspect.numerator, den: aspect.denominator)
        declare(format.color, in: context)
        // A key frame every two seconds makes seeking fast.
        let rate = context.pointee.framerate
        context.pointee.gop_size = max(2, Int32(clamping: 2 * Int64(rate.num) / Int64(max(1, rate.den))))
        if container.pointee.oformat.pointee.flags & AVFMT_GLOBALHEADER != 0 {
            context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
        }
        setQuality(String(cString: codec.pointee.name), context)
        let code = log.capture { avcodec_open2(context, codec, nil) }
        guard code >= 0 else {
            var failed: UnsafeMutablePointer<AVCodecContext>? = context
            avcodec_free_context(&failed)
            throw LibraryError.make(
                code,
                "cannot encode frames of \(size)",
                fallback: .conversionFailed,
                log: log
            )
        }
        return context
    }

    /// Returns the format of the frames that are encoded.
    private static func converted(_ format: VideoFormat, _ size: PixelSize) -> VideoFormat {
        let from = av_get_pix_fmt(format.pixelFormat.rawValue)
        let colors = ColorConversion(format, from: from, to: AV_PIX_FMT_YUV420P)
        var result = format
        (result.pixelFormat, result.size) = (.yuv420p, size)
        colors.describe(&result)
        return result
    }

    /// Declares the colors of the frames. Cameras that send JPEG use the matrix of BT.601 at every size, which is not
    /// the one that is assumed for large video without a declaration.
    private static func declare(_ color: ColorDescription, in context: UnsafeMutablePointer<AVCodecContext>) {
        func number(_ name: String?, _ find: (String) -> Int32) -> UInt32? {
            name.flatMap { UInt32(exactly: find($0)) }
        }
        context.pointee.color_range = color.isFullRange == true ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        if let value = number(color.primaries, { av_color_primaries_from_name($0) }) {
            context.pointee.color_primaries = AVColorPrimaries(rawValue: value)
        }
        if let value = number(color.transfer, { av_color_transfer_from_name($0) }) {
            context.pointee.color_trc = AVColorTransferCharacteristic(rawValue: value)
        }
        if let value = number(color.matrix, { av_color_space_from_name($0) }) {
            context.pointee.colorspace = AVColorSpace(rawValue: value)
        }
        if let value = number(color.chromaLocation, { av_chroma_location_from_name($0) }) {
            context.pointee.chroma_sample_location = AVChromaLocation(rawValue: value)
        }
    }

    /// Sets a good quality at a speed that is sufficient for a camera.
    private static func setQuality(_ name: String, _ context: UnsafeMutablePointer<AVCodecContext>) {
        switch name {
        case "libx264":
            av_opt_set(context.pointee.priv_data, "preset", "veryfast", 0)
            av_opt_set(context.pointee.priv_data, "crf", "20", 0)
        case "libvpx-vp9", "libvpx":
            av_opt_set(context.pointee.priv_data, "deadline", "realtime", 0)
            av_opt_set(context.pointee.priv_data, "cpu-used", "8", 0)
            av_opt_set(context.pointee.priv_data, "crf", "24", 0)
            context.pointee.bit_rate = name == "libvpx" ? 4_000_000 : 0
        case "mpeg4":
            context.pointee.flags |= AV_CODEC_FLAG_QSCALE
            context.pointee.global_quality = 3 * FF_QP2LAMBDA
        default:
            context.pointee.bit_rate = 4_000_000
        }
    }
}

/// An AVIOContext that writes to a `RecordingOutput`. It owns the context and its buffer.
private final class OutputBridge {
    private let output: any RecordingOutput
    private var position: Int64 = 0
    private var count: Int64 = 0
    /// The error of the last failed write. libav passes on only an error number.
    private(set) var failure: MediaError?
    private(set) var context: UnsafeMutablePointer<AVIOContext>?

    private static let bufferSize = 64 << 10

    init(_ output: any RecordingOutput) throws(MediaError) {
        self.output = output
        guard let buffer = av_malloc(Self.bufferSize) else {
            throw MediaError(.resourceLimit, "no memory for writing", isRetryable: true)
        }
        context = ph_avio_alloc_writer(
            buffer.assumingMemoryBound(to: UInt8.self),
            Int32(Self.bufferSize),
            Unmanaged.passUnretained(self).toOpaque(),
            { opaque, bytes, count in OutputBridge.from(opaque)?.write(bytes, count) ?? PH_ERROR_EINVAL },
            { opaque, offset, whence in
                OutputBridge.from(opaque)?.seek(offset, whence) ?? Int64(PH_ERROR_EINVAL)
            }
        )
        guard context != nil else {
            av_free(buffer)
            throw MediaError(.resourceLimit, "no memory for writing", isRetryable: true)
        }
        // libav then writes Matroska as a stream, without returning to its header.
        if !output.isRewritable { context?.pointee.seekable = 0 }
    }

    deinit {
        if let context { av_freep(&context.pointee.buffer) }
        avio_context_free(&context)
    }

    private static func from(_ opaque: UnsafeMutableRawPointer?) -> OutputBridge? {
        opaque.map { Unmanaged<OutputBridge>.fromOpaque($0).takeUnretainedValue() }
    }

    private func write(_ bytes: UnsafePointer<UInt8>?, _ size: Int32) -> Int32 {
        guard failure == nil else { return PH_ERROR_EIO }
        let all = UnsafeRawBufferPointer(start: bytes, count: Int(max(0, size)))
        // Existing bytes are overwritten, and the rest is appended.
        let overwritten = min(all.count, Int(max(0, count - position)))
        do throws(MediaError) {
            if overwritten > 0 {
                try output.rewrite(at: position, UnsafeRawBufferPointer(rebasing: all[..<overwritten]))
            }
            if overwritten < all.count {
                try output.write(UnsafeRawBufferPointer(rebasing: all[overwritten...]))
            }
        } catch {
            failure = error
            return PH_ERROR_EIO
        }
        position += Int64(all.count)
        count = max(count, position)
        return size
    }

    private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        switch whence & ~AVSEEK_FORCE {
        case AVSEEK_SIZE: return count
        case SEEK_SET: position = offset
        case SEEK_CUR: position += offset
        case SEEK_END: position = count + offset
        default: return Int64(PH_ERROR_EINVAL)
        }
        guard (0...count).contains(position) else { return Int64(PH_ERROR_EINVAL) }
        return position
    }
}
