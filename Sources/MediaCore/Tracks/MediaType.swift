/// What kind of media a track holds (AVMediaType).
public enum MediaType: String, Hashable, Sendable, CaseIterable {
    /// Pictures: moving ones, or one that stands for the whole (`Track.isAttachedPicture`).
    case video
    /// Samples to be heard.
    case audio
    /// Words, or pictures of words, that are due for a while.
    case subtitle
    /// Timed metadata, and whatever a program may make of it.
    case data
    /// A file inside the file, such as a font.
    case attachment
    /// FFmpeg does not say.
    case unknown
}
