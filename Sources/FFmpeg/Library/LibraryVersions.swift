internal import CFFmpeg

/// Returns the versions of the loaded FFmpeg libraries, for example ["libavcodec": "59.37.100"].
package func libraryVersions() -> [String: String] {
    func text(_ version: UInt32) -> String {
        "\(version >> 16).\(version >> 8 & 0xFF).\(version & 0xFF)"
    }
    return [
        "ffmpeg": String(cString: av_version_info()),
        "libavutil": text(avutil_version()),
        "libavcodec": text(avcodec_version()),
        "libavformat": text(avformat_version()),
        "libswscale": text(swscale_version()),
        "libswresample": text(swresample_version()),
    ]
}
