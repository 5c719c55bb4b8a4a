import FFmpeg
import MediaCore

// Capabilities that can be queried without a file. `Track.isPlayable` reports on the tracks of a file.
extension Asset {
    /// The container formats that can be opened, by FFmpeg's names, sorted.
    public static var playableContainers: [String] { FFmpegCapabilities.containers }

    /// The codecs that can be decoded, by FFmpeg's names as in `Track.codec`, sorted.
    public static var playableCodecs: [String] { FFmpegCapabilities.codecs }

    /// The MIME types of media that can be opened, and of HLS playlists, sorted.
    public static var audiovisualMIMETypes: [String] {
        let files = MIMEType.containers.filter { FFmpegCapabilities.canOpen($0.value) }.keys
        return MIMEType.playlists.union(files).sorted()
    }

    /// Returns whether media of an extended MIME type, such as `video/mp4; codecs="avc1.42E01E, mp4a.40.2"`, can be
    /// played.
    ///
    /// The container must be one that can be opened, or an HLS playlist, and each codec one that can be decoded. A type
    /// without codecs is judged by its container alone. Profiles and levels are ignored, because the CPU decodes what a
    /// hardware decoder cannot.
    ///
    /// - Parameter type: A MIME type with an optional "codecs" parameter (RFC 6381).
    /// - Returns: True if the media can be played; false also for unknown types.
    public static func isPlayableExtendedMIMEType(_ type: String) -> Bool {
        guard let type = MIMEType(type), isOpenable(type) else { return false }
        return type.codecs.allSatisfy { MIMEType.codec($0).map(FFmpegCapabilities.canDecode) ?? false }
    }

    private static func isOpenable(_ type: MIMEType) -> Bool {
        MIMEType.playlists.contains(type.name)
            || (MIMEType.containers[type.name].map(FFmpegCapabilities.canOpen) ?? false)
    }
}

/// A MIME type with its "codecs" parameter (RFC 6381).
struct MIMEType {
    let name: String
    let codecs: [String]

    init?(_ text: String) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false).map(\.trimmed)
        guard let name = parts.first?.lowercased(), name.split(separator: "/").count == 2 else { return nil }
        self.name = name
        var codecs: [String] = []
        for part in parts.dropFirst() {
            guard let equals = part.firstIndex(of: "=") else {
                if part.isEmpty { continue }
                return nil
            }
            guard part[..<equals].trimmed.lowercased() == "codecs" else { continue }
            let list = part[part.index(after: equals)...].filter { $0 != "\"" && $0 != "'" }
            codecs = list.split(separator: ",").map(\.trimmed)
        }
        self.codecs = codecs
    }

    /// FFmpeg's names of the containers, by MIME type.
    static let containers = [
        "video/mp4": "mov", "audio/mp4": "mov", "video/quicktime": "mov", "video/x-m4v": "mov",
        "audio/x-m4a": "mov", "video/3gpp": "mov", "audio/3gpp": "mov", "video/webm": "matroska",
        "audio/webm": "matroska", "video/x-matroska": "matroska", "video/matroska": "matroska",
        "audio/x-matroska": "matroska", "video/mp2t": "mpegts", "video/mpeg": "mpeg", "video/mp2p": "mpeg",
        "video/ogg": "ogg", "audio/ogg": "ogg", "video/x-flv": "flv", "video/x-msvideo": "avi",
        "video/avi": "avi", "application/mxf": "mxf", "audio/mpeg": "mp3", "audio/mp3": "mp3",
        "audio/aac": "aac", "audio/aacp": "aac", "audio/flac": "flac", "audio/x-flac": "flac",
        "audio/wav": "wav", "audio/x-wav": "wav", "audio/vnd.wave": "wav", "audio/aiff": "aiff",
        "audio/x-aiff": "aiff", "audio/ac3": "ac3", "audio/eac3": "eac3", "audio/x-caf": "caf",
        "application/x-subrip": "srt", "text/vtt": "webvtt", "text/x-ssa": "ass",
    ]

    /// The MIME types of HLS playlists.
    static let playlists: Set = [
        "application/vnd.apple.mpegurl", "application/x-mpegurl", "audio/mpegurl", "audio/x-mpegurl",
    ]

    /// Returns FFmpeg's name of the container for a MIME type, including playlists, or nil if the type is unknown.
    static func container(of text: String) -> String? {
        guard let name = MIMEType(text)?.name else { return nil }
        return playlists.contains(name) ? "hls" : containers[name]
    }

    /// FFmpeg's names of the codecs, by the first component of an RFC 6381 codec string in lower case.
    private static let codecNames = [
        "avc1": "h264", "avc3": "h264", "dva1": "h264", "dvav": "h264", "hvc1": "hevc", "hev1": "hevc",
        "dvh1": "hevc", "dvhe": "hevc", "av01": "av1", "vp8": "vp8", "vp08": "vp8", "vp9": "vp9",
        "vp09": "vp9", "theora": "theora", "mp4v": "mpeg4", "jpeg": "mjpeg", "mjpg": "mjpeg",
        "apch": "prores", "apcn": "prores", "apcs": "prores", "apco": "prores", "ap4h": "prores",
        "ap4x": "prores", "opus": "opus", "vorbis": "vorbis", "flac": "flac", "alac": "alac", "mp3": "mp3",
        "ac-3": "ac3", "ec-3": "eac3", "dtsc": "dts", "samr": "amr_nb", "sawb": "amr_wb", "1": "pcm_s16le",
        "tx3g": "mov_text", "wvtt": "webvtt", "mlpa": "truehd",
    ]

    /// Returns FFmpeg's name of the codec for an RFC 6381 codec string, or nil if it is unknown.
    static func codec(_ text: String) -> String? {
        let parts = text.lowercased().split(separator: ".")
        guard let first = parts.first.map(String.init) else { return nil }
        guard first == "mp4a" else { return codecNames[first] }
        switch parts.dropFirst().first {
        case nil: return "aac"
        case "40": return parts.count > 2 && parts[2] == "34" ? "mp3" : "aac"
        case "66", "67", "68": return "aac"
        case "69", "6b": return "mp3"
        case "a5": return "ac3"
        case "a6": return "eac3"
        default: return nil
        }
    }
}
