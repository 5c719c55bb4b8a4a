internal import FFmpeg

/// Which Playhead this is, and which FFmpeg it found: what a report of a fault should say.
public enum PlayheadVersion {
    /// Of the next release, with "-dev" until then.
    public static let current = "0.1.0-dev"

    /// FFmpeg's own version ("ffmpeg") and those of its libraries ("libavcodec": "59.37.100" ...), as loaded.
    public static var libraries: [String: String] { libraryVersions() }
}
