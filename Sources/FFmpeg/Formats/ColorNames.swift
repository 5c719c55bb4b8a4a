internal import CFFmpeg
internal import MediaCore

/// Translates libav's constants to the names of MediaCore.
enum ColorNames {
    static func describe(
        primaries: AVColorPrimaries,
        transfer: AVColorTransferCharacteristic,
        matrix: AVColorSpace,
        range: AVColorRange,
        chroma: AVChromaLocation,
        pixelFormat: AVPixelFormat
    ) -> ColorDescription {
        ColorDescription(
            primaries: primaries == AVCOL_PRI_UNSPECIFIED || primaries == AVCOL_PRI_RESERVED0
                ? nil : name(av_color_primaries_name(primaries)),
            transfer: transfer == AVCOL_TRC_UNSPECIFIED || transfer == AVCOL_TRC_RESERVED0
                ? nil : name(av_color_transfer_name(transfer)),
            matrix: matrix == AVCOL_SPC_UNSPECIFIED || matrix == AVCOL_SPC_RESERVED
                ? nil : name(av_color_space_name(matrix)),
            isFullRange: isFullRange(range, pixelFormat),
            chromaLocation: chroma == AVCHROMA_LOC_UNSPECIFIED ? nil : name(av_chroma_location_name(chroma))
        )
    }

    /// Returns whether the range is full, or nil if the stream does not declare it. The deprecated "yuvj" formats imply
    /// full range, and gray without a declaration is that of images, as in libswscale.
    static func isFullRange(_ range: AVColorRange, _ format: AVPixelFormat) -> Bool? {
        switch range {
        case AVCOL_RANGE_JPEG: return true
        case AVCOL_RANGE_MPEG: return false
        default:
            let isGray = PixelFormats.isGray(format) && !PixelFormats.isRGB(format)
            return isGray || isFullRangeByName(format) ? true : nil
        }
    }

    static func isFullRangeByName(_ format: AVPixelFormat) -> Bool {
        switch format {
        case AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P,
            AV_PIX_FMT_YUVJ411P:
            true
        default: false
        }
    }

    static func pixelFormat(_ format: AVPixelFormat) -> PixelFormat {
        PixelFormat(rawValue: name(av_get_pix_fmt_name(format)) ?? "")
    }

    static func sampleFormat(_ format: AVSampleFormat) -> SampleFormat {
        SampleFormat(rawValue: name(av_get_sample_fmt_name(format)) ?? "")
    }

    static func channelLayout(_ layout: UnsafePointer<AVChannelLayout>) -> ChannelLayout {
        let count = Int(layout.pointee.nb_channels)
        guard count > 0 else { return ChannelLayout(channelCount: 0, name: "") }
        var buffer = [CChar](repeating: 0, count: 256)
        let length = av_channel_layout_describe(layout, &buffer, buffer.count)
        guard length > 0 else { return ChannelLayout(channelCount: count, name: "\(count) channels") }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return ChannelLayout(channelCount: count, name: String(decoding: bytes, as: UTF8.self))
    }

    static func name(_ text: UnsafePointer<CChar>?) -> String? { text.map { String(cString: $0) } }
}

/// The rotation and mirroring of a display matrix, rounded to multiples of 90 degrees.
struct DisplayTransform {
    var rotation: Rotation = .none
    var isMirrored = false

    init(_ stream: UnsafePointer<AVStream>) {
        var size = 0
        guard let data = ph_stream_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size), size >= 36 else {
            return
        }
        let raw = UnsafeRawPointer(data)
        let cell = { (index: Int) in Int64(raw.loadUnaligned(fromByteOffset: index * 4, as: Int32.self)) }
        var (a, b) = (cell(0), cell(1))
        let (c, d) = (cell(3), cell(4))
        // The products of two 32-bit numbers fit in Int64, but their difference may not, so they are compared.
        if a * d < b * c {
            isMirrored = true
            (a, b) = (-a, -b)
        }
        if abs(a) >= abs(b) {
            rotation = a < 0 ? .half : .none
        } else {
            rotation = b > 0 ? .clockwise90 : .clockwise270
        }
    }
}
