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
