internal import CFFmpeg

/// The times of the blocks of ADPCM in a WAV file, each of which has the same number of bytes and of samples.
///
/// libav seeks by the average number of bytes per second in the header, and continues from the time that results from
/// it. Some writers, including FFmpeg, declare another rate than that of the blocks, so that the samples after a seek
/// would have wrong times.
struct AudioBlockTimes {
    private let stream: Int32
    /// The number of bytes and of samples in a block.
    private let byteCount, sampleCount: Int64
    /// The rates by which libav converts a time to a position.
    private let byteRate, sampleRate: Int64
    /// The position of the first block in the file.
    private let origin: Int64

    /// Returns the times of the blocks of a container, or nil if it does not consist of blocks, or if its first packet
    /// is not known.
    init?(_ session: InputSession, _ start: StartFingerprint) {
        guard let stream = session.streams.first, Self.apply(to: stream, formatName: session.formatName),
            let parameters = stream.pointee.codecpar,
            let origin = start.signatures[stream.pointee.index]?.position, origin >= 0
        else { return nil }
        self.stream = stream.pointee.index
        self.origin = origin
        byteCount = Int64(parameters.pointee.block_align)
        sampleCount = Self.sampleCount(parameters)
        sampleRate = Int64(parameters.pointee.sample_rate)
        // As in libav's ff_pcm_read_seek.
        let bitRate = parameters.pointee.bit_rate
        byteRate = bitRate == 0 ? byteCount * sampleRate : bitRate >> 3
        guard byteRate > 0 else { return nil }
    }

    /// Returns whether the times of a stream have to be derived from positions.
    static func apply(to stream: UnsafePointer<AVStream>, formatName: String) -> Bool {
        guard formatName == "wav", let parameters = stream.pointee.codecpar,
            String(cString: avcodec_get_name(parameters.pointee.codec_id)).hasPrefix("adpcm"),
            parameters.pointee.block_align > 0, parameters.pointee.sample_rate > 0
        else { return false }
        let timeBase = stream.pointee.time_base
        return timeBase.num == 1 && timeBase.den == parameters.pointee.sample_rate
            && sampleCount(parameters) > 0
    }

    /// Returns the number of samples in a block, or 0 if it is not known.
    private static func sampleCount(_ parameters: UnsafeMutablePointer<AVCodecParameters>) -> Int64 {
        Int64(av_get_audio_frame_duration2(parameters, parameters.pointee.block_align))
    }

    /// Sets the time of a packet from its position.
    func setTime(of packet: UnsafeMutablePointer<AVPacket>) {
        guard packet.pointee.stream_index == stream, packet.pointee.pos >= origin else { return }
        let block = (packet.pointee.pos - origin) / byteCount
        let (time, overflow) = block.multipliedReportingOverflow(by: sampleCount)
        guard !overflow else { return }
        packet.pointee.pts = time
        packet.pointee.dts = time
    }

    /// Returns the time with which libav seeks to the block at or before a time, or with `isForward` to the first one
    /// at or after it.
    func request(for ticks: Int64, isForward: Bool) -> Int64 {
        let (whole, rest) = max(0, ticks).quotientAndRemainder(dividingBy: sampleCount)
        let block = isForward && rest > 0 ? whole + 1 : whole
        let (position, overflow) = block.multipliedReportingOverflow(by: byteCount)
        if overflow { return ticks }
        // libav rounds the position down, or up if it seeks forward.
        return av_rescale_rnd(position, sampleRate, byteRate, isForward ? AV_ROUND_DOWN : AV_ROUND_UP)
    }
}
