internal import CFFmpeg
internal import MediaCore

/// Owns one open decoder context.
final class CodecContext {
    let pointer: UnsafeMutablePointer<AVCodecContext>
    /// Named in the context, so it has to live longer.
    private let info: CodecContextInfo

    init(
        parameters: UnsafePointer<AVCodecParameters>,
        timeBase: AVRational,
        threads: ThreadPlan,
        maximumPixelCount: Int,
        averageRate: AVRational = AVRational(num: 0, den: 1),
        framePool: FramePool? = nil,
        device: HardwareDevice? = nil,
        log: LibraryLog
    ) throws(MediaError) {
        let name = String(cString: avcodec_get_name(parameters.pointee.codec_id))
        let decoder = device?.decoder(for: parameters.pointee.codec_id)
        guard let codec = device == nil ? avcodec_find_decoder(parameters.pointee.codec_id) : decoder?.codec
        else {
            throw MediaError(.decoderNotFound, "there is no decoder for \(name)")
        }
        guard let pointer = avcodec_alloc_context3(codec) else {
            throw MediaError(.resourceLimit, "no memory for a decoder", isRetryable: true)
        }
        self.pointer = pointer
        info = CodecContextInfo(log: log, framePool: framePool, surface: decoder?.surface)
        var code = avcodec_parameters_to_context(pointer, parameters)
        if code >= 0 {
            pointer.pointee.opaque = Unmanaged.passUnretained(info).toOpaque()
            if framePool != nil {
                pointer.pointee.get_buffer2 = CodecContextInfo.getBuffer
                ph_codec_has_thread_safe_callbacks(pointer)
            }
            if let reference = device?.reference {
                pointer.pointee.hw_device_ctx = av_buffer_ref(reference)
                pointer.pointee.get_format = CodecContextInfo.selectFormat
                pointer.pointee.extra_hw_frames = SurfaceBudget.extraSurfaces
            }
            if parameters.pointee.codec_type == AVMEDIA_TYPE_VIDEO { pointer.pointee.framerate = averageRate }
            pointer.pointee.pkt_timebase = timeBase
            pointer.pointee.max_pixels = Int64(max(1, maximumPixelCount))
            pointer.pointee.thread_count = Int32(clamping: threads.count)
            pointer.pointee.thread_type =
                threads.kind == .frame ? FF_THREAD_FRAME | FF_THREAD_SLICE : FF_THREAD_SLICE
            code = log.capture { avcodec_open2(pointer, codec, nil) }
        }
        guard code >= 0 else {
            // The half-open context is freed by deinit, which runs once all members are set.
            throw LibraryError.make(
                code,
                "the \(name) decoder cannot be opened",
                fallback: .decoderFailed,
                log: log
            )
        }
    }

    /// What the processor's decoder would give; known when the first frame comes.
    var softwareFormat: AVPixelFormat {
        let known = info.choice.withLock { $0.software }
        return known == AV_PIX_FMT_NONE ? SurfaceLayout.planar(pointer.pointee.pix_fmt) : known
    }
    /// Why the device does not decode this stream, in words.
    var rejectionReason: String? { info.choice.withLock { $0.rejectionReason } }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecContext>? = pointer
        // Joins the context's threads, so nobody names the log afterwards.
        info.log.capture { avcodec_free_context(&pointer) }
    }
}
