/// The kind of a media item, for `MPMediaItemPropertyMediaType`.
public struct MPMediaType: OptionSet, Hashable, Sendable {
    /// The bits of the kinds.
    public let rawValue: UInt
    /// Creates kinds from their bits.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Music.
    public static let music = MPMediaType(rawValue: 1)
    /// A podcast.
    public static let podcast = MPMediaType(rawValue: 2)
    /// An audio book.
    public static let audioBook = MPMediaType(rawValue: 4)
    /// Any audio.
    public static let anyAudio = MPMediaType(rawValue: 0xff)
    /// A film.
    public static let movie = MPMediaType(rawValue: 0x100)
    /// An episode of a series.
    public static let tvShow = MPMediaType(rawValue: 0x200)
    /// A podcast with video.
    public static let videoPodcast = MPMediaType(rawValue: 0x400)
    /// A music video.
    public static let musicVideo = MPMediaType(rawValue: 0x800)
    /// A video of the user.
    public static let homeVideo = MPMediaType(rawValue: 0x2000)
    /// Any video.
    public static let anyVideo = MPMediaType(rawValue: 0xff00)
    /// Any kind.
    public static let any = MPMediaType(rawValue: .max)
}
