/// The type of what is playing.
public enum MPNowPlayingInfoMediaType: UInt, Sendable {
    /// Neither of the others.
    case none = 0
    /// Audio.
    case audio = 1
    /// Video.
    case video = 2
}
