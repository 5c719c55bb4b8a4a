internal import CFFmpeg
internal import MediaCore
import PlayheadBackend

/// Decides whether libav must analyze the streams before they can be decoded, and runs the analysis.
///
/// The analysis takes 10 to 20 ms for a local 1080p file, because it decodes frames. Containers with complete headers
/// do not need it.
enum ContainerProbe {
    /// The containers whose headers describe codecs completely.
    private static let selfDescribing: Set = ["mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm"]

    static func isNeeded(_ session: InputSession) -> Bool {
        guard let context = try? session.context, let format = context.pointee.iformat,
            selfDescribing.contains(String(cString: format.pointee.name)),
            context.pointee.ctx_flags & AVFMTCTX_NOHEADER == 0
        else { return true }
        return session.streams.contains {
            !isDescribed($0, maximumPixelCount: session.request.maximumPixelCount)
        }
    }

    /// Runs libav's analysis. The pixel limit is passed to the decoders that it opens.
    static func run(_ session: InputSession) throws(MediaError) {
        let context = try session.context
        let limits = session.streams.map { _ in
            OptionDictionary([("max_pixels", String(max(1, session.request.maximumPixelCount)))])
        }
        var pointers: [OpaquePointer?] = limits.map(\.pointer)
        session.isProbed = true
        let code = session.log.capture { avformat_find_stream_info(context, &pointers) }
        for (limit, pointer) in zip(limits, pointers) { limit.pointer = pointer }
        if session.interruption.isAborted { throw LibraryError.cancelled(session.request.location) }
        if code < 0 {
            throw session.error(code, "cannot analyze the streams", fallback: .unrecognizedFormat)
        }
    }

    /// Returns true if the header contains everything that decoding and presentation need.
    private static func isDescribed(_ stream: UnsafeMutablePointer<AVStream>, maximumPixelCount: Int) -> Bool
    {
        guard let parameters = stream.pointee.codecpar else { return false }
        if stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0 { return true }
        switch parameters.pointee.codec_type {
        case AVMEDIA_TYPE_VIDEO: return isDescribedVideo(parameters, maximumPixelCount)
        case AVMEDIA_TYPE_AUDIO: return isDescribedAudio(parameters)
        default: return true
        }
    }

    private static func isDescribedVideo(
        _ parameters: UnsafeMutablePointer<AVCodecParameters>,
        _ maximumPixelCount: Int
    ) -> Bool {
        guard parameters.pointee.width > 0, parameters.pointee.height > 0 else { return false }
        switch parameters.pointee.codec_id {
        case AV_CODEC_ID_VP8, AV_CODEC_ID_VP9, AV_CODEC_ID_AV1, AV_CODEC_ID_PRORES, AV_CODEC_ID_MJPEG,
            AV_CODEC_ID_DNXHD:
            return true
        case AV_CODEC_ID_HEVC:
            return parameters.pointee.extradata_size > 0
        case AV_CODEC_ID_H264:
            return declaresReorderDepth(parameters, maximumPixelCount)
        default:
            return false
        }
    }

    /// Returns whether the H.264 header declares how far frames are reordered. Without it, a decoder has to find out
    /// and may drop the first frames.
    private static func declaresReorderDepth(
        _ parameters: UnsafeMutablePointer<AVCodecParameters>,
        _ maximumPixelCount: Int
    ) -> Bool {
        guard parameters.pointee.extradata_size > 0 else { return false }
        let constrainedBaseline: Int32 = 66 | 1 << 9
        if parameters.pointee.profile == 66 || parameters.pointee.profile == constrainedBaseline {
            return true
        }
        guard
            let codec = try? CodecContext(
                parameters: parameters,
                timeBase: AVRational(num: 1, den: 90_000),
                threads: ThreadPlan(count: 1, kind: .slice),
                maximumPixelCount: maximumPixelCount,
                log: LibraryLog()
            )
        else { return false }
        return codec.pointer.pointee.has_b_frames > 0
    }

    private static func isDescribedAudio(_ parameters: UnsafeMutablePointer<AVCodecParameters>) -> Bool {
        guard parameters.pointee.sample_rate > 0, parameters.pointee.ch_layout.nb_channels > 0 else {
            return false
        }
        switch parameters.pointee.codec_id {
        case AV_CODEC_ID_AAC:
            // At 24 kHz or below, the real rate may be twice the declared one (SBR without signaling).
            return parameters.pointee.extradata_size > 0 && parameters.pointee.sample_rate > 24_000
        case AV_CODEC_ID_OPUS, AV_CODEC_ID_VORBIS, AV_CODEC_ID_FLAC, AV_CODEC_ID_ALAC:
            return parameters.pointee.extradata_size > 0
        case AV_CODEC_ID_PCM_S16LE, AV_CODEC_ID_PCM_S16BE, AV_CODEC_ID_PCM_S24LE, AV_CODEC_ID_PCM_S24BE,
            AV_CODEC_ID_PCM_F32LE:
            return true
        default:
            return false
        }
    }
}
