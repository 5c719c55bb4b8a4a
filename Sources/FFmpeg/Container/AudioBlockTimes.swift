internal import CFFmpeg

/// The times of the blocks of audio in WAV, Wave64 and AIFF, each of which has the same number of bytes and of samples.
///
/// libav seeks by the average number of bytes per second in the header, and continues from the time that results from
/// it. Some writers declare another rate than that of the blocks, as FFmpeg does for ADPCM in WAV. AIFF declares none,
/// and that of its ADPCM is not a whole number. The samples after a seek would have wrong times.
struct AudioBlockTimes {
    private let stream: Int32
    /// The number of bytes and of samples in a block.
    private let byteCount, sampleCount: Int64
    /// The rates by which libav converts a time to a position.
    private let byteRate, sampleRate: Int64
    /// The position of the first block in the file.
    private let origin: Int64

    /// Returns the times of the blocks of a container, or nil if those of libav are right or if its first packet is not
    /// known.
    init?(_ session: InputSession, _ start: StartFingerprint) {
        guard let stream = session.streams.first,
            let origin = start.signatures[stream.pointee.index]?.position, origin >= 0
        else { return nil }
        self.init(stream, formatName: session.formatName, origin: origin)
    }

    private init?(_ stream: UnsafePointer<AVStream>, formatName: String, origin: Int64) {
        guard ["wav", "w64", "aiff"].contains(formatName), let parameters = stream.pointee.codecpar,
            ["pcm_", "adpcm_"].contains(where: {
                String(cString: avcodec_get_name(parameters.pointee.codec_id)).hasPrefix($0)
            }),
            stream.pointee.time_base.num == 1, stream.pointee.time_base.den == parameters.pointee.sample_rate
        else { return nil }
        self.stream = stream.pointee.index
        self.origin = origin
        byteCount = Int64(parameters.pointee.block_align)
        sampleCount = Int64(av_get_audio_frame_duration2(parameters, parameters.pointee.block_align))
        sampleRate = Int64(parameters.pointee.sample_rate)
        // As in libav's ff_pcm_read_seek.
        let bitRate = parameters.pointee.bit_rate
        byteRate = bitRate == 0 ? byteCount * sampleRate : bitRate >> 3
        guard byteCount > 0, sampleCount > 0, sampleRate > 0, byteRate > 0 else { return nil }
        // Of samples with a fixed size, libav counts the bytes, so a block must consist of whole ones.
        let bits = Int64(av_get_exact_bits_per_sample(parameters.pointee.codec_id))
        let channelCount = Int64(max(1, parameters.pointee.ch_layout.nb_channels))
        guard bits == 0 || 8 * byteCount % (bits * channelCount) == 0 else { return nil }
        let (bytes, overflow) = byteRate.multipliedReportingOverflow(by: sampleCount)
        if !overflow, bytes == byteCount * sampleRate { return nil }
    }

    /// Returns whether the times of a stream have to be derived from positions.
    static func areNeeded(for stream: UnsafePointer<AVStream>, formatName: String) -> Bool {
        AudioBlockTimes(stream, formatName: formatName, origin: 0) != nil
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
