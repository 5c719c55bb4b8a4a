/// The format that a run of audio buffers has in common.
public struct AudioFormat: Hashable, Sendable {
    /// The number of samples per second and channel.
    public var sampleRate: Int
    /// The number of channels and their assignment to loudspeakers.
    public var channelLayout: ChannelLayout
    /// The type of a sample, and whether each channel has a plane of its own.
    public var sampleFormat: SampleFormat

    /// Creates a format.
    ///
    /// - Parameters:
    ///   - sampleRate: Samples per second and channel.
    ///   - channelLayout: The number of channels and their assignment to loudspeakers.
    ///   - sampleFormat: The type of a sample.
    public init(sampleRate: Int, channelLayout: ChannelLayout, sampleFormat: SampleFormat) {
        self.sampleRate = sampleRate
        self.channelLayout = channelLayout
        self.sampleFormat = sampleFormat
    }

    /// The number of channels of the layout.
    public var channelCount: Int { channelLayout.channelCount }
    /// The number of bytes of one sample of all channels together.
    public var bytesPerFrame: Int {
        let (count, overflow) = sampleFormat.bytesPerSample.multipliedReportingOverflow(by: channelCount)
        return overflow ? (channelCount > 0 ? .max : .min) : count
    }
}

extension AudioFormat {
    /// One channel of 32-bit floating point at 16,000 Hz: what most models of speech take.
    public static let speech16kMono = AudioFormat(
        sampleRate: 16_000,
        channelLayout: .mono,
        sampleFormat: .float
    )
    /// Two channels of interleaved 32-bit floating point at 48,000 Hz.
    public static let stereo48k = AudioFormat(
        sampleRate: 48_000,
        channelLayout: .stereo,
        sampleFormat: .float
    )
}
