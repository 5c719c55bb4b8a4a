internal import MediaCore

/// Which containers may be opened. libav's own list holds demuxers that open other files, devices and
/// networks by what is written in a file; those are not on this list.
enum FormatPolicy {
    /// Demuxers that only ever read the bytes that they are given.
    private static let containers = [
        "3dostr", "aac", "ac3", "ac4", "aiff", "alp", "amr", "amrnb", "amrwb", "ape", "apng", "aptx", "asf",
        "au",
        "av1", "avi", "avr", "bfi", "caf", "cavsvideo", "cdg", "cdxl", "daud", "dirac", "dnxhd", "dsf",
        "dsicin",
        "dts", "dtshd", "dv", "ea", "eac3", "flac", "flic", "flv", "g722", "g726", "g729", "gif", "gsm",
        "gxf",
        "h261", "h263", "h264", "hevc", "iff", "ilbc", "ircam", "ivf", "jpegxl_anim", "kux", "lmlm4", "loas",
        "lxf", "m4v", "matroska", "mgsts", "mjpeg", "mjpeg_2000", "mlp", "mm", "mov", "mp3", "mpc", "mpc8",
        "mpeg",
        "mpegts", "mpegvideo", "mpjpeg", "msnwctcp", "mtv", "mv", "mxf", "nc", "nistsphere", "nsv", "nut",
        "nuv",
        "obu", "ogg", "oma", "pva", "qcp", "r3d", "rm", "roq", "rpl", "sbg", "shn", "smjpeg", "smk", "sox",
        "spdif",
        "swf", "tak", "thp", "tivo", "truehd", "tta", "txd", "vc1", "vc1test", "vmd", "voc", "vqf", "vvc",
        "w64",
        "wav", "wc3movie", "webm_dash_manifest", "wsaud", "wsvqa", "wtv", "wv", "xa", "xmv", "xwma", "yop",
        "yuv4mpegpipe",
    ]
    /// Still pictures that begin with their own mark.
    private static let imageFormats = [
        "bmp_pipe", "dds_pipe", "dpx_pipe", "exr_pipe", "gif_pipe", "j2k_pipe", "jpeg_pipe", "jpegls_pipe",
        "jpegxl_pipe", "pam_pipe", "pbm_pipe", "pcx_pipe", "pgm_pipe", "pgmyuv_pipe", "png_pipe", "ppm_pipe",
        "psd_pipe", "qoi_pipe", "sgi_pipe", "sunrast_pipe", "tiff_pipe", "webp_pipe", "xpm_pipe", "xwd_pipe",
    ]
    /// Of the containers those that hold sound and nothing else, but for a cover.
    private static let audioContainers: Set<Substring> = [
        "aac", "ac3", "ac4", "aiff", "alp", "amr", "amrnb", "amrwb", "ape", "aptx", "au", "avr", "caf",
        "daud",
        "dsf", "dts", "dtshd", "eac3", "flac", "g722", "g726", "g729", "gsm", "ilbc", "ircam", "loas", "mlp",
        "mp3", "mpc", "mpc8", "nistsphere", "oma", "qcp", "shn", "sox", "spdif", "tak", "truehd", "tta",
        "voc",
        "vqf", "w64", "wav", "wsaud", "wv", "xa", "xwma",
    ]
    /// Text tracks by themselves.
    private static let subtitles = [
        "ass", "aqtitle", "jacosub", "lrc", "microdvd", "mpl2", "mpsub", "pjs", "realtext", "sami", "scc",
        "srt",
        "stl", "subviewer", "subviewer1", "sup", "tedcaptions", "ttml", "vplayer", "webvtt",
    ]

    /// Demuxers that go to an absolute place in the file when they seek, and never count on the one where they
    /// were. Of the others some go on from there (Musepack), or keep a file within the file (wtv).
    private static let absolutelySeeking: Set<Substring> = [
        "aac", "avi", "flac", "flv", "matroska", "mov", "mp3", "mpeg", "mpegts", "ogg", "wav",
    ]

    /// `name` is libav's, which may hold several: "mov,mp4,m4a".
    static func seeksToAbsoluteOffsets(_ name: String) -> Bool {
        name.split(separator: ",").contains { absolutelySeeking.contains($0) }
    }

    /// `name` is libav's, which may hold several. nil: no container of pictures or sound that may be opened.
    static func content(of name: String) -> ContentProbe.Content? {
        let names = name.split(separator: ",")
        if names.contains(where: { imageFormats.contains(String($0)) }) { return .image }
        if names.contains(where: { audioContainers.contains($0) }) { return .audio }
        return names.contains { containers.contains(String($0)) } ? .container : nil
    }

    /// Everything but playlists.
    static let mediaNames = Set(containers + imageFormats + subtitles)

    /// libav's `format_whitelist`.
    static func whitelist(allowsPlaylists: Bool) -> String {
        (containers + imageFormats + subtitles + (allowsPlaylists ? ["hls"] : [])).joined(separator: ",")
    }

    /// The same for the segments of a playlist: what the standard names, and what is played by others.
    static let segments = "aac,ac3,eac3,flac,mov,mp3,mpegts,webvtt"

    /// Extensions of playlists.
    private static let playlistExtensions: Set = ["m3u8", "m3u"]

    /// True: the bytes are a playlist and do not pretend to be something else by their name.
    static func isPlaylist(head: [UInt8], name: String) -> Bool {
        guard startsPlaylist(head) else { return false }
        let fileExtension = Location.fileExtension(of: name)
        return fileExtension.isEmpty || playlistExtensions.contains(fileExtension)
    }

    static func startsPlaylist(_ head: [UInt8]) -> Bool {
        let signature = Array("#EXTM3U".utf8)
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = head.starts(with: byteOrderMark) ? head.dropFirst(3) : head[...]
        return text.starts(with: signature)
    }
}
