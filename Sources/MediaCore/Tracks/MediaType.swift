/// The kind of media in a track (AVMediaType).
public enum MediaType: String, Hashable, Sendable, CaseIterable {
    /// Video, or a single attached image (`Track.isAttachedPicture`).
    case video
    /// Audio samples.
    case audio
    /// Subtitles, as text or as images.
    case subtitle
    /// Timed metadata or other data.
    case data
    /// A file inside the container, such as a font.
    case attachment
    /// A kind that FFmpeg does not identify.
    case unknown
}
