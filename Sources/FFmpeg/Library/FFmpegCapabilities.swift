internal import CFFmpeg
package import MediaCore

/// What the FFmpeg next to this process, within our policy, can open and decode.
package enum FFmpegCapabilities {
    /// By FFmpeg's names, sorted: "matroska", "mov", "mpegts" ...
    package static let containers: [String] = FormatPolicy.mediaNames.filter(canOpen).sorted()

    /// By FFmpeg's names, sorted: "aac", "h264", "subrip" ...
    package static let codecs: [String] = {
        var names: Set<String> = []
        var state: UnsafeMutableRawPointer?
        while let codec = av_codec_iterate(&state) {
            guard av_codec_is_decoder(codec) != 0 else { continue }
            names.insert(String(cString: avcodec_get_name(codec.pointee.id)))
        }
        return names.sorted()
    }()

    /// What frames can be converted to, in FFmpeg's order.
    package static let writablePixelFormats: [PixelFormat] = {
        var formats: [PixelFormat] = []
        var descriptor = av_pix_fmt_desc_next(nil)
        while let found = descriptor {
            let format = av_pix_fmt_desc_get_id(found)
            if sws_isSupportedOutput(format) != 0 { formats.append(ColorNames.pixelFormat(format)) }
            descriptor = av_pix_fmt_desc_next(found)
        }
        return formats
    }()

    package static func canOpen(_ container: String) -> Bool {
        FormatPolicy.mediaNames.contains(container) && av_find_input_format(container) != nil
    }

    /// By FFmpeg's name of the codec.
    package static func canDecode(_ codec: String) -> Bool {
        guard let descriptor = avcodec_descriptor_get_by_name(codec) else { return false }
        return avcodec_find_decoder(descriptor.pointee.id) != nil
    }
}
