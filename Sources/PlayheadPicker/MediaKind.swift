import FFmpeg
public import PlayheadCore

/// The kind of a media file from the user's point of view.
public enum MediaKind: String, Hashable, Sendable, CaseIterable {
    /// Video with or without audio.
    case video
    /// Audio with or without a cover picture.
    case audio
    /// A still image.
    case image
}

/// The contents of a file, determined from its first bytes and almost regardless of its name. Nothing is opened, and no
/// further bytes are read.
public enum MediaContents: Hashable, Sendable {
    /// The file is of one kind for certain.
    case kind(MediaKind)
    /// The file is a container for video or audio. `Asset.kind` returns the kind once it is loaded.
    case container

    /// The number of bytes to pass to `init(head:name:)`, if the file has as many.
    public static let headByteCount = ContentProbe.headByteCount

    /// Examines the first bytes of a file. The result is nil if the file is not media, and for playlists and subtitles.
    ///
    /// - Parameters:
    ///   - head: The first bytes of the file.
    ///   - name: The name of the file. It decides only if the bytes match a format without proving it.
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
    /// The kind of media in the asset, derived from its tracks. Nil until the asset is loaded, and if it has neither
    /// video nor audio.
    public var kind: MediaKind? {
        guard let media else { return nil }
        let shown = tracks.filter { !$0.isAttachedPicture }
        let isHeard = shown.contains { $0.mediaType == .audio }
        guard let video = shown.first(where: { $0.mediaType == .video }) else {
            return isHeard ? .audio : nil
        }
        // AVIF and HEIC files are MP4 files with one frame.
        let isStill = media.formatName.hasSuffix("_pipe") || video.frameCount == 1
        return isStill && !isHeard ? .image : .video
    }
}
