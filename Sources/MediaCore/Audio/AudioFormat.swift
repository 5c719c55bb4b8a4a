/// What a run of audio buffers has in common.
public struct AudioFormat: Hashable, Sendable {
    /// Samples per second and channel.
    public var sampleRate: Int
    /// How many channels there are, and which is which.
    public var channelLayout: ChannelLayout
    /// Type of one sample, and whether each channel has a plane of its own.
    public var sampleFormat: SampleFormat

    /// `sampleRate` in samples per second and channel.
    public init(sampleRate: Int, channelLayout: ChannelLayout, sampleFormat: SampleFormat) {
        self.sampleRate = sampleRate
        self.channelLayout = channelLayout
        self.sampleFormat = sampleFormat
    }

    /// Channels of the layout.
    public var channelCount: Int { channelLayout.channelCount }
    /// Bytes of one sample of every channel together.
    public var bytesPerFrame: Int { sampleFormat.bytesPerSample * channelCount }
}
