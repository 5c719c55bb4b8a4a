internal import CFFmpeg

/// The duration of frames in GXF, which counts fields.
enum GXFFrameDuration {
    /// Sets the duration of a video packet to that of its frame. libav declares that of one field.
    static func correct(
        _ packet: UnsafeMutablePointer<AVPacket>,
        _ stream: UnsafeMutablePointer<AVStream>,
        _ context: UnsafeMutablePointer<AVFormatContext>,
        formatName: @autoclosure () -> String
    ) {
        guard packet.pointee.duration == 1, stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO,
            formatName() == "gxf", stream.pointee.time_base.isPositive
        else { return }
        let rate = av_guess_frame_rate(context, stream, nil)
        guard rate.isPositive else { return }
        let duration = av_rescale_q(1, AVRational(num: rate.den, den: rate.num), stream.pointee.time_base)
        packet.pointee.duration = max(1, duration)
    }
}
