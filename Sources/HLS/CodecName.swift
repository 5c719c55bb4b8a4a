internal import MediaCore

/// FFmpeg's name of a codec, derived from the name in a playlist (RFC 6381).
struct CodecName {
    let type: MediaType
    let name: String

    init(_ type: MediaType, _ name: String) {
        self.type = type
        self.name = name
    }

    private static let known: [(prefix: String, type: MediaType, name: String)] = [
        ("avc", .video, "h264"), ("hvc", .video, "hevc"), ("hev", .video, "hevc"), ("dvh", .video, "hevc"),
        ("av01", .video, "av1"), ("vp09", .video, "vp9"), ("vp08", .video, "vp8"), ("mp4v", .video, "mpeg4"),
        ("mp4a.40.34", .audio, "mp3"), ("mp4a.69", .audio, "mp3"), ("mp4a.6B", .audio, "mp3"),
        ("mp4a", .audio, "aac"), ("ac-3", .audio, "ac3"), ("ec-3", .audio, "eac3"), ("opus", .audio, "opus"),
        ("fLaC", .audio, "flac"), ("flac", .audio, "flac"), ("alac", .audio, "alac"),
    ]

    /// Maps a name such as "avc1.64001f". Returns nil for subtitle codecs and for unknown names.
    init?(_ text: String) {
        guard let found = Self.known.first(where: { text.lowercased().hasPrefix($0.prefix.lowercased()) })
        else {
            return nil
        }
        self.init(found.type, found.name)
    }
}
