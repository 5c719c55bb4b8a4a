/// How one audio sample is stored, by FFmpeg's name ("s16", "fltp" ...).
public struct SampleFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Interleaved signed 16 bit, host byte order.
    public static let s16 = SampleFormat(rawValue: "s16")
    /// Interleaved 32 bit float.
    public static let float = SampleFormat(rawValue: "flt")
    /// Planar 32 bit float.
    public static let floatPlanar = SampleFormat(rawValue: "fltp")

    /// FFmpeg's names end in "p" for one plane per channel.
    public var isPlanar: Bool { rawValue.hasSuffix("p") }
    /// Bytes of one sample of one channel; 0 for a name that is not known.
    public var bytesPerSample: Int {
        switch rawValue {
        case "fltp", "flt", "s32", "s32p": 4
        case "s16", "s16p": 2
        case "u8", "u8p": 1
        case "dbl", "dblp", "s64", "s64p": 8
        default: 0
        }
    }
    public var description: String { rawValue }
}

/// Which loudspeaker each channel feeds.
public struct ChannelLayout: Hashable, Sendable, CustomStringConvertible {
    /// How many channels; 0 where there is no audio.
    public var channelCount: Int
    /// FFmpeg's description: "mono", "stereo", "5.1(side)", "6 channels" ...
    public var name: String

    /// `name` is FFmpeg's description of the layout; nothing checks that it has `channelCount` channels.
    public init(channelCount: Int, name: String) {
        self.channelCount = channelCount
        self.name = name
    }

    /// One channel.
    public static let mono = ChannelLayout(channelCount: 1, name: "mono")
    /// Two channels: left, right.
    public static let stereo = ChannelLayout(channelCount: 2, name: "stereo")
    public var description: String { name }
}

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
