/// The set of names that a metadata key belongs to.
public struct AVMetadataKeySpace: RawRepresentable, Hashable, Sendable {
    /// The text of the name.
    public let rawValue: String
    /// Creates a key space.
    ///
    /// - Parameter rawValue: The text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The names that all containers have in common (`AVMetadataKey.commonKeyTitle` and so on).
    public static let common = AVMetadataKeySpace(rawValue: "comn")
    /// The names of ID3 frames in timed metadata.
    public static let id3 = AVMetadataKeySpace(rawValue: "org.id3")
    /// FFmpeg's names, which it uses for the entries of all containers. Not part of Apple's API.
    public static let ffmpeg = AVMetadataKeySpace(rawValue: "ffmpeg")
}
