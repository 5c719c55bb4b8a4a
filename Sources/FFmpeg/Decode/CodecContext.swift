internal import CFFmpeg
internal import MediaCore

/// An open decoder context.
final class CodecContext {
    let pointer: UnsafeMutablePointer<AVCodecContext>
    /// The object that the context's `opaque` field refers to. It must outlive the context.
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
            throw MediaError(.decoderNotFound, "no decoder for \(name)")
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
            // The context is freed by deinit, which runs because all members are set.
            throw LibraryError.make(
                code,
                "cannot open the \(name) decoder",
                fallback: .decoderFailed,
                log: log
            )
        }
    }

    /// The pixel format that the software decoder would produce. It is known when the first frame has been decoded.
    var softwareFormat: AVPixelFormat {
        let known = info.choice.withLock { $0.software }
        return known == AV_PIX_FMT_NONE ? SurfaceLayout.planar(pointer.pointee.pix_fmt) : known
    }
    /// The reason why the device does not decode this stream, if it does not.
    var rejectionReason: String? { info.choice.withLock { $0.rejectionReason } }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecContext>? = pointer
        // Freeing the context joins its threads, so none of them uses the log afterwards.
        info.log.capture { avcodec_free_context(&pointer) }
    }
}
