internal import CFFmpeg
internal import MediaCore

/// Owns one open decoder context.
final class CodecContext {
    let pointer: UnsafeMutablePointer<AVCodecContext>
    /// Named in the context, so it has to live longer.
    private let companion: CodecContextInfo

    init(
        parameters: UnsafePointer<AVCodecParameters>,
        timeBase: AVRational,
        threads: ThreadPlan,
        maximumPixelCount: Int,
        averageRate: AVRational = AVRational(num: 0, den: 1),
        pictures: FramePool? = nil,
        device: HardwareDevice? = nil,
        log: LibraryLog
    ) throws(MediaError) {
        let name = String(cString: avcodec_get_name(parameters.pointee.codec_id))
        let way = device?.way(to: parameters.pointee.codec_id)
        guard let codec = device == nil ? avcodec_find_decoder(parameters.pointee.codec_id) : way?.codec
        else {
            throw MediaError(.decoderNotFound, "there is no decoder for \(name)")
        }
        guard let pointer = avcodec_alloc_context3(codec) else {
            throw MediaError(.resourceLimit, "no memory for a decoder", isRetryable: true)
        }
        self.pointer = pointer
        companion = CodecContextInfo(log: log, pictures: pictures, surface: way?.surface)
        var code = avcodec_parameters_to_context(pointer, parameters)
        if code >= 0 {
            pointer.pointee.opaque = Unmanaged.passUnretained(companion).toOpaque()
            if pictures != nil {
                pointer.pointee.get_buffer2 = CodecContextInfo.provide
                ph_codec_has_thread_safe_callbacks(pointer)
            }
            if let reference = device?.reference {
                pointer.pointee.hw_device_ctx = av_buffer_ref(reference)
                pointer.pointee.get_format = CodecContextInfo.choose
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
        let known = companion.choice.withLock { $0.software }
        return known == AV_PIX_FMT_NONE ? SurfaceLayout.planar(pointer.pointee.pix_fmt) : known
    }
    /// Why the device does not decode this stream, in words.
    var refusal: String? { companion.choice.withLock { $0.refusal } }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecContext>? = pointer
        // Joins the context's threads, so nobody names the log afterwards.
        companion.log.capture { avcodec_free_context(&pointer) }
    }
}

/// What a codec context carries in `opaque`, which libav copies to the contexts of its frame threads.
final class CodecContextInfo: Sendable {
    let log: LibraryLog
    let pictures: FramePool?
    /// What frames on the device are called; nil where the processor decodes.
    private let surface: AVPixelFormat?

    /// What libav offered: told by any of the codec's threads.
    struct Choice {
        var software = AV_PIX_FMT_NONE
        var refusal: String?
    }
    let choice = Locked(Choice())

    init(log: LibraryLog, pictures: FramePool?, surface: AVPixelFormat? = nil) {
        self.log = log
        self.pictures = pictures
        self.surface = surface
    }

    static func of(_ context: UnsafePointer<AVCodecContext>) -> CodecContextInfo? {
        context.pointee.opaque.map { Unmanaged<CodecContextInfo>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The codec's `get_format`: the device's format, or none, so that decoding fails and the processor decodes the
    /// same packets with threads of its own. libav offers a format no more whose decoder could not be set up.
    static let choose:
        @convention(c) (
            UnsafeMutablePointer<AVCodecContext>?, UnsafePointer<AVPixelFormat>?
        ) -> AVPixelFormat = { context, offered in
            guard let context, let offered, let companion = of(context) else { return AV_PIX_FMT_NONE }
            return companion.choose(of: offered)
        }

    /// The last one offered is the processor's own.
    private func choose(of offered: UnsafePointer<AVPixelFormat>) -> AVPixelFormat {
        var hasSurface = false
        var last = AV_PIX_FMT_NONE
        var index = 0
        while offered[index] != AV_PIX_FMT_NONE {
            last = offered[index]
            hasSurface = hasSurface || last == surface
            index += 1
        }
        return choice.withLock { choice in
            choice.software = last
            choice.refusal = hasSurface ? nil : "the device does not decode streams like this one"
            return hasSurface ? surface ?? AV_PIX_FMT_NONE : AV_PIX_FMT_NONE
        }
    }

    /// The codec's `get_buffer2`.
    static let provide:
        @convention(c) (
            UnsafeMutablePointer<AVCodecContext>?, UnsafeMutablePointer<AVFrame>?, Int32
        ) -> Int32 = { context, frame, flags in
            guard let context, let frame else { return PH_ERROR_EINVAL }
            guard let pictures = of(context)?.pictures, FramePool.serves(frame, of: context) else {
                return avcodec_default_get_buffer2(context, frame, flags)
            }
            return pictures.provide(frame, for: context)
        }
}

/// Owns a copy of a stream's codec parameters, so that decoders do not depend on the container.
final class CodecParameters {
    let pointer: UnsafeMutablePointer<AVCodecParameters>

    init(copying original: UnsafePointer<AVCodecParameters>) throws(MediaError) {
        guard let pointer = avcodec_parameters_alloc() else {
            throw MediaError(.resourceLimit, "no memory for codec parameters", isRetryable: true)
        }
        self.pointer = pointer
        let code = avcodec_parameters_copy(pointer, original)
        if code < 0 {
            throw LibraryError.make(code, "codec parameters cannot be copied", fallback: .resourceLimit)
        }
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecParameters>? = pointer
        avcodec_parameters_free(&pointer)
    }
}
