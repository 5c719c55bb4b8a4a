internal import CFFmpeg
internal import MediaCore

/// The properties of a stream that a decoder needs, copied so that decoders can be created after the container is
/// closed.
struct StreamInfo {
    let parameters: CodecParameters
    let timeBase: AVRational
    let averageRate: AVRational
    /// The container's pixel aspect ratio.
    let aspect: AVRational

    init(_ stream: UnsafeMutablePointer<AVStream>) throws(MediaError) {
        parameters = try CodecParameters(copying: stream.pointee.codecpar)
        timeBase = stream.pointee.time_base
        averageRate = stream.pointee.avg_frame_rate
        aspect = stream.pointee.sample_aspect_ratio
    }

    var codec: AVCodecID { parameters.pointer.pointee.codec_id }
}
