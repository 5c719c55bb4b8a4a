import FFmpeg
import Foundation

// What can be played at all, asked before there is a file. What is in a file says `Track.isPlayable`.
extension Asset {
    /// Names of containers as FFmpeg has them, sorted: those that can be opened here.
    public static var playableContainers: [String] { FFmpegCapabilities.containers }

    /// Names of codecs as FFmpeg has them and `Track.codec` says them, sorted: those that can be decoded here.
    public static var playableCodecs: [String] { FFmpegCapabilities.codecs }

    /// MIME types of media that can be opened here, sorted.
    public static var audiovisualMIMETypes: [String] {
        MIMEType.containers.filter { FFmpegCapabilities.canOpen($0.value) }.keys.sorted()
    }

    /// Whether media of a type like `video/mp4; codecs="avc1.42E01E, mp4a.40.2"` can be played: its container
    /// can be opened, and each of its codecs decoded. A type without codecs is answered for the container alone;
    /// what is not known is false. Profiles and levels are not looked at: what a device does not
    /// decode, the processor does.
    public static func isPlayableExtendedMIMEType(_ type: String) -> Bool {
        guard let type = MIMEType(type), let container = MIMEType.containers[type.name],
            FFmpegCapabilities.canOpen(container)
        else { return false }
        return type.codecs.allSatisfy { MIMEType.codec($0).map(FFmpegCapabilities.canDecode) ?? false }
    }
}

/// A type with its parameter "codecs" (RFC 6381).
struct MIMEType {
    let name: String
    let codecs: [String]

    init?(_ text: String) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false).map(Self.trimmed)
        guard let name = parts.first?.lowercased(), name.split(separator: "/").count == 2 else { return nil }
        self.name = name
        var codecs: [String] = []
        for part in parts.dropFirst() {
            guard let equals = part.firstIndex(of: "=") else {
                if part.isEmpty { continue }
                return nil
            }
            guard Self.trimmed(part[..<equals]).lowercased() == "codecs" else { continue }
            let list = part[part.index(after: equals)...].filter { $0 != "\"" && $0 != "'" }
            codecs = list.split(separator: ",").map(Self.trimmed)
        }
        self.codecs = codecs
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// By FFmpeg's name of the container.
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

    private static let playlists: Set = [
        "application/vnd.apple.mpegurl", "application/x-mpegurl", "audio/mpegurl", "audio/x-mpegurl",
    ]

    /// FFmpeg's name of the container that a type stands for, playlists included; nil for what is not known.
    static func container(of text: String) -> String? {
        guard let name = MIMEType(text)?.name else { return nil }
        return playlists.contains(name) ? "hls" : containers[name]
    }

    /// By the first part of a codec's name, in lower case.
    private static let codecNames = [
        "avc1": "h264", "avc3": "h264", "dva1": "h264", "dvav": "h264", "hvc1": "hevc", "hev1": "hevc",
        "dvh1": "hevc", "dvhe": "hevc", "av01": "av1", "vp8": "vp8", "vp08": "vp8", "vp9": "vp9",
        "vp09": "vp9", "theora": "theora", "mp4v": "mpeg4", "jpeg": "mjpeg", "mjpg": "mjpeg",
        "apch": "prores", "apcn": "prores", "apcs": "prores", "apco": "prores", "ap4h": "prores",
        "ap4x": "prores", "opus": "opus", "vorbis": "vorbis", "flac": "flac", "alac": "alac", "mp3": "mp3",
        "ac-3": "ac3", "ec-3": "eac3", "dtsc": "dts", "samr": "amr_nb", "sawb": "amr_wb", "1": "pcm_s16le",
        "tx3g": "mov_text", "wvtt": "webvtt", "mlpa": "truehd",
    ]

    /// FFmpeg's name; nil for what is not known.
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
