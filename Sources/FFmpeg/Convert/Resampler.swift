internal import CFFmpeg
internal import MediaCore

/// A libswresample context that converts between two formats.
final class Resampler {
    let input: AudioFormat
    private let output: AudioFormat
    private var context: OpaquePointer?

    init(from input: AudioFormat, to output: AudioFormat, log: LibraryLog) throws(MediaError) {
        self.input = input
        self.output = output
        let from = av_get_sample_fmt(input.sampleFormat.rawValue)
        let to = av_get_sample_fmt(output.sampleFormat.rawValue)
        guard from != AV_SAMPLE_FMT_NONE, to != AV_SAMPLE_FMT_NONE, input.sampleRate > 0,
            output.sampleRate > 0
        else {
            throw MediaError(
                .conversionFailed,
                "unsupported conversion from \(input.sampleFormat) to \(output.sampleFormat)"
            )
        }
        var fromLayout = Resampler.layout(input.channelLayout)
        var toLayout = Resampler.layout(output.channelLayout)
        defer {
            av_channel_layout_uninit(&fromLayout)
            av_channel_layout_uninit(&toLayout)
        }
        var code = log.capture {
            let made = swr_alloc_set_opts2(
                &context,
                &toLayout,
                to,
                Int32(clamping: output.sampleRate),
                &fromLayout,
                from,
                Int32(clamping: input.sampleRate),
                0,
                nil
            )
            guard made >= 0, let context else { return made }
            // For integers libswresample limits a channel mix to full scale, for floats it does not. This option makes
            // the volume the same for all sample formats.
            av_opt_set_double(UnsafeMutableRawPointer(context), "rematrix_maxval", 1, 0)
            // By default both channels would be 3 dB quieter than a mono stream that an audio server or device plays.
            if input.channelCount == 1, output.channelLayout == .stereo {
                let result = swr_set_matrix(context, [1, 1], 1)
                if result < 0 { return result }
            }
            return swr_init(context)
        }
        if code == PH_ERROR_EINVAL, log.capture({ initializeWithMatrix() }) >= 0 {
            log.clear()
            code = 0
        }
        guard code >= 0 else {
            throw LibraryError.make(
                code,
                "cannot create a resampler",
                fallback: .conversionFailed,
                log: log
            )
        }
    }

    /// Initializes the context for channels that libswresample cannot mix, because their loudspeakers are not known, as
    /// those of most files with more than eight channels, or because there are none (ambisonics). Such channels are
    /// distributed to those of the output in turn. Of ambisonics, the first channel is used, which has the audio of all
    /// directions. Returns libav's error code.
    private func initializeWithMatrix() -> Int32 {
        let (inputs, outputs) = (input.channelCount, output.channelCount)
        let supported = 1...Self.maximumChannelCount
        guard let context, supported.contains(inputs), supported.contains(outputs) else {
            return PH_ERROR_EINVAL
        }
        var matrix = [Double](repeating: 0, count: inputs * outputs)
        if input.channelLayout.name.hasPrefix("ambisonic") {
            for target in 0..<outputs { matrix[target * inputs] = 1 }
        } else {
            let share = 1 / Double((inputs + outputs - 1) / outputs)
            for source in 0..<inputs { matrix[source % outputs * inputs + source] = share }
        }
        let code = swr_set_matrix(context, matrix, Int32(clamping: inputs))
        return code < 0 ? code : swr_init(context)
    }

    /// The number of channels for which libswresample has a matrix. It does not check it.
    private static let maximumChannelCount = 64

    deinit { swr_free(&context) }

    /// The duration of the samples, at the input's rate, that were consumed and not yet returned.
    var delay: MediaTime {
        let rate = Int64(input.sampleRate)
        return MediaTime(value: max(0, swr_get_delay(context, rate)), timescale: Int32(clamping: rate))
    }

    /// Returns the number of samples that may be returned when `count` samples are passed.
    func outputCount(_ count: Int) -> Int {
        Int(max(0, swr_get_out_samples(context, Int32(clamping: count))))
    }

    /// Converts a buffer, or drains the resampler if it is nil, and appends to `frame` at `offset`. Returns the number
    /// of samples written, or libav's error code.
    func convert(_ buffer: AudioBuffer?, into frame: UnsafeMutablePointer<AVFrame>, at offset: Int, room: Int)
        -> Int32
    {
        var targets = Resampler.planes(frame, format: output, offset: offset)
        guard let buffer else {
            return swr_convert(context, &targets, Int32(clamping: room), nil, 0)
        }
        return buffer.withPlanes { planes in
            var sources: [UnsafePointer<UInt8>?] = planes.map {
                $0.baseAddress?.assumingMemoryBound(to: UInt8.self)
            }
            return swr_convert(
                context,
                &targets,
                Int32(clamping: room),
                &sources,
                Int32(clamping: buffer.frameCount)
            )
        }
    }

    /// Returns FFmpeg's layout of that name if its channel count matches, else the default layout for the channel
    /// count.
    static func layout(_ layout: ChannelLayout) -> AVChannelLayout {
        var result = AVChannelLayout()
        let isNamed = av_channel_layout_from_string(&result, layout.name) >= 0
        if isNamed && Int(result.nb_channels) == layout.channelCount
            && result.order != AV_CHANNEL_ORDER_UNSPEC
        {
            return result
        }
        av_channel_layout_uninit(&result)
        av_channel_layout_default(&result, Int32(clamping: layout.channelCount))
        return result
    }

    private static func planes(
        _ frame: UnsafeMutablePointer<AVFrame>,
        format: AudioFormat,
        offset: Int
    ) -> [UnsafeMutablePointer<UInt8>?] {
        let isPlanar = format.sampleFormat.isPlanar
        let stride = format.sampleFormat.bytesPerSample * (isPlanar ? 1 : format.channelCount)
        guard let data = frame.pointee.extended_data else { return [] }
        return (0..<(isPlanar ? format.channelCount : 1)).map { data[$0].map { $0 + offset * stride } }
    }
}
