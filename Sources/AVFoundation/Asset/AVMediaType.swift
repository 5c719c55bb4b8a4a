import MediaCore

/// The kind of media in a track.
public struct AVMediaType: RawRepresentable, Hashable, Sendable {
    /// The code of the type.
    public let rawValue: String
    /// Creates a type from its code.
    ///
    /// - Parameter rawValue: The code.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a type from its code.
    ///
    /// - Parameter rawValue: The code.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Video.
    public static let video = AVMediaType(rawValue: "vide")
    /// Audio.
    public static let audio = AVMediaType(rawValue: "soun")
    /// Text. No track has this type: text tracks are subtitles.
    public static let text = AVMediaType(rawValue: "text")
    /// Closed captions. No track has this type.
    public static let closedCaption = AVMediaType(rawValue: "clcp")
    /// Subtitles.
    public static let subtitle = AVMediaType(rawValue: "sbtl")
    /// Timed metadata and other data.
    public static let metadata = AVMediaType(rawValue: "meta")

    init(_ type: MediaType) {
        switch type {
        case .video: self = .video
        case .audio: self = .audio
        case .subtitle: self = .subtitle
        case .data, .attachment, .unknown: self = .metadata
        }
    }
}
