internal import MediaCore

/// The containers that may be opened. libav also has demuxers that open other files, devices and network resources
/// named in a file; these are not allowed.
enum FormatPolicy {
    /// The demuxers that read only the bytes they are given.
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
        "swf", "tak", "thp", "truehd", "tta", "txd", "ty", "vc1", "vc1test", "vmd", "voc", "vqf", "vvc",
        "w64",
        "wav", "wc3movie", "webm_dash_manifest", "wsaud", "wsvqa", "wtv", "wv", "xa", "xmv", "xwma", "yop",
        "yuv4mpegpipe",
    ]
    /// The image formats that are recognized by their own signature.
    private static let imageFormats = [
        "bmp_pipe", "dds_pipe", "dpx_pipe", "exr_pipe", "gif_pipe", "j2k_pipe", "jpeg_pipe", "jpegls_pipe",
        "jpegxl_pipe", "pam_pipe", "pbm_pipe", "pcx_pipe", "pgm_pipe", "pgmyuv_pipe", "png_pipe", "ppm_pipe",
        "psd_pipe", "qoi_pipe", "sgi_pipe", "sunrast_pipe", "tiff_pipe", "webp_pipe", "xpm_pipe", "xwd_pipe",
    ]
    /// The name extensions of these formats.
    private static let imageExtensions: Set<String> = [
        "bmp", "dds", "dpx", "exr", "j2k", "jp2", "jpe", "jpeg", "jpg", "jls", "jxl", "pam", "pbm", "pcx",
        "pgm", "png", "ppm", "psd", "qoi", "ras", "sgi", "tga", "tif", "tiff", "webp", "xpm", "xwd",
    ]

    /// Returns whether a name has the extension of an image format that is recognized by its signature.
    static func isImage(name: String) -> Bool {
        guard let dot = name.lastIndex(of: ".") else { return false }
        return imageExtensions.contains(name[name.index(after: dot)...].lowercased())
    }

    /// The containers that hold only audio, apart from a cover.
    private static let audioContainers: Set<Substring> = [
        "aac", "ac3", "ac4", "aiff", "alp", "amr", "amrnb", "amrwb", "ape", "aptx", "au", "avr", "caf",
        "daud",
        "dsf", "dts", "dtshd", "eac3", "flac", "g722", "g726", "g729", "gsm", "ilbc", "ircam", "loas", "mlp",
        "mp3", "mpc", "mpc8", "nistsphere", "oma", "qcp", "shn", "sox", "spdif", "tak", "truehd", "tta",
        "voc",
        "vqf", "w64", "wav", "wsaud", "wv", "xa", "xwma",
    ]
    /// The formats of separate subtitle files.
    private static let subtitles = [
        "ass", "aqtitle", "jacosub", "lrc", "microdvd", "mpl2", "mpsub", "pjs", "realtext", "sami", "scc",
        "srt",
        "stl", "subviewer", "subviewer1", "sup", "tedcaptions", "ttml", "vplayer", "webvtt",
    ]

    /// Returns whether a format is a text file of subtitles. The subtitles of Blu-ray ("sup") are bitmaps.
    static func isTextOfSubtitles(_ name: String) -> Bool { name != "sup" && subtitles.contains(name) }

    /// The demuxers that always seek to an absolute offset and never rely on their previous position. Other demuxers
    /// may continue from that position (Musepack) or keep a file within the file (wtv).
    private static let absolutelySeeking: Set<Substring> = [
        "aac", "avi", "flac", "flv", "matroska", "mov", "mp3", "mpeg", "mpegts", "ogg", "wav",
    ]

    /// Returns whether a demuxer always seeks to absolute offsets. `name` is libav's name, which may be a list:
    /// "mov,mp4,m4a".
    static func seeksToAbsoluteOffsets(_ name: String) -> Bool {
        name.split(separator: ",").contains { absolutelySeeking.contains($0) }
    }

    /// Returns the kind of content of a container, or nil if it is no media container that may be opened. `name` is
    /// libav's name, which may be a list.
    static func content(of name: String) -> ContentProbe.Content? {
        let names = name.split(separator: ",")
        if names.contains(where: { imageFormats.contains(String($0)) }) { return .image }
        if names.contains(where: { audioContainers.contains($0) }) { return .audio }
        return names.contains { containers.contains(String($0)) } ? .container : nil
    }

    /// The names of all containers that may be opened.
    static let mediaNames = Set(containers + imageFormats + subtitles)
    /// The value of libav's `format_whitelist`.
    static let whitelist = (containers + imageFormats + subtitles).joined(separator: ",")

    /// The value of `format_whitelist` for the segments of a playlist: the formats of the standard (RFC 8216), and
    /// those that other players support.
    static let segments = "aac,ac3,eac3,flac,mov,mp3,mpegts,webvtt"
}
