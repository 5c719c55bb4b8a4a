/// The assignment of channels to loudspeakers.
public struct ChannelLayout: Hashable, Sendable, CustomStringConvertible {
    /// The number of channels; 0 if there is no audio.
    public var channelCount: Int
    /// FFmpeg's description of the layout, such as "mono", "stereo", "5.1(side)" or "6 channels".
    public var name: String

    /// Creates a layout. The two arguments are not checked against each other.
    ///
    /// - Parameters:
    ///   - channelCount: The number of channels.
    ///   - name: FFmpeg's description of the layout.
    public init(channelCount: Int, name: String) {
        self.channelCount = channelCount
        self.name = name
    }

    /// One channel.
    public static let mono = ChannelLayout(channelCount: 1, name: "mono")
    /// Two channels: left and right.
    public static let stereo = ChannelLayout(channelCount: 2, name: "stereo")
    public var description: String { name }
}
