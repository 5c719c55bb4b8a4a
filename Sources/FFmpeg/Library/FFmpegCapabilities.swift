internal import CFFmpeg
package import MediaCore

/// The containers and codecs that the loaded FFmpeg supports, within the format policy.
package enum FFmpegCapabilities {
    /// The names of the containers as in FFmpeg, sorted: "matroska", "mov", "mpegts" ...
    package static let containers: [String] = FormatPolicy.mediaNames.filter(canOpen).sorted()

    /// The names of the codecs as in FFmpeg, sorted: "aac", "h264", "subrip" ...
    package static let codecs: [String] = {
        var names: Set<String> = []
        var state: UnsafeMutableRawPointer?
        while let codec = av_codec_iterate(&state) {
            guard av_codec_is_decoder(codec) != 0 else { continue }
            names.insert(String(cString: avcodec_get_name(codec.pointee.id)))
        }
        return names.sorted()
    }()

    /// The pixel formats that frames can be converted to: `rgbf32`, then those of libswscale in FFmpeg's order.
    package static let writablePixelFormats: [PixelFormat] = {
        var formats: [PixelFormat] = [.rgbf32]
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

    /// Returns whether there is a decoder for a codec with FFmpeg's name.
    package static func canDecode(_ codec: String) -> Bool {
        guard let descriptor = avcodec_descriptor_get_by_name(codec) else { return false }
        return avcodec_find_decoder(descriptor.pointee.id) != nil
    }
}
