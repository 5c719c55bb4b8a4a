import FFmpeg
public import Playhead

/// What a person would call a file of media.
public enum MediaKind: String, Hashable, Sendable, CaseIterable {
    /// Pictures that move, with sound or without.
    case video
    /// Sound, with a cover or without.
    case audio
    /// A single picture.
    case image
}

/// What the first bytes of a file tell of it, whatever its name is. Nothing is opened, and no more is read.
public enum MediaContents: Hashable, Sendable {
    /// One kind, for certain.
    case kind(MediaKind)
    /// A container that may hold video, or sound alone: `Asset.kind` tells when it is loaded.
    case container

    /// How many bytes to hand over, where the file has so many.
    public static let headByteCount = ContentProbe.headByteCount

    /// nil for what is no media, and for playlists and subtitles. The name decides only where the bytes fit a format, but do
    /// not prove it.
    public init?(head: [UInt8], name: String) {
        switch ContentProbe.content(of: head, name: name) {
        case nil: return nil
        case .image: self = .kind(.image)
        case .audio: self = .kind(.audio)
        case .container: self = .container
        }
    }
}

extension Asset {
    /// What kind of media it holds, by its tracks; nil until loaded, and where there is nothing to see or to hear.
    public var kind: MediaKind? {
        guard let media else { return nil }
        let shown = tracks.filter { !$0.isAttachedPicture }
        let isHeard = shown.contains { $0.mediaType == .audio }
        guard let video = shown.first(where: { $0.mediaType == .video }) else {
            return isHeard ? .audio : nil
        }
        // AVIF and HEIC are an MP4 of one picture.
        let isStill = media.formatName.hasSuffix("_pipe") || video.frameCount == 1
        return isStill && !isHeard ? .image : .video
    }
}
