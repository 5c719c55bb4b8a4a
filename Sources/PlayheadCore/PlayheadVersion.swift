internal import FFmpeg

/// The version of Playhead, and the versions of the FFmpeg libraries that it has loaded. Include both in a bug report.
public enum PlayheadVersion {
    /// The version of Playhead. Development versions have the number of the next release and the suffix "-dev".
    public static let current = "0.2.0-dev"

    /// The version of FFmpeg ("ffmpeg") and the versions of its libraries ("libavcodec": "59.37.100" and so on), as
    /// loaded.
    public static var libraries: [String: String] { libraryVersions() }
}
