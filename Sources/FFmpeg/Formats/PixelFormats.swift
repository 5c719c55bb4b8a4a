internal import CFFmpeg
internal import MediaCore

/// What conversions have to know about pixel formats.
enum PixelFormats {
    /// The old formats that mean "full range" by their name, without that: the range is handed over apart.
    static func withoutRange(_ format: AVPixelFormat) -> AVPixelFormat {
        switch format {
        case AV_PIX_FMT_YUVJ420P: AV_PIX_FMT_YUV420P
        case AV_PIX_FMT_YUVJ422P: AV_PIX_FMT_YUV422P
        case AV_PIX_FMT_YUVJ444P: AV_PIX_FMT_YUV444P
        case AV_PIX_FMT_YUVJ440P: AV_PIX_FMT_YUV440P
        case AV_PIX_FMT_YUVJ411P: AV_PIX_FMT_YUV411P
        default: format
        }
    }

    static func isRGB(_ format: AVPixelFormat) -> Bool {
        guard let descriptor = av_pix_fmt_desc_get(format) else { return false }
        return descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL) != 0
    }

    static func hasAlpha(_ format: AVPixelFormat) -> Bool {
        guard let descriptor = av_pix_fmt_desc_get(format) else { return false }
        return descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0
    }

    /// Bits of a sample; 0 for what is not known.
    static func depth(_ format: AVPixelFormat) -> Int {
        guard let descriptor = av_pix_fmt_desc_get(format) else { return 0 }
        return Int(descriptor.pointee.comp.0.depth)
    }

    static func isGray(_ format: AVPixelFormat) -> Bool {
        guard let descriptor = av_pix_fmt_desc_get(format) else { return false }
        return descriptor.pointee.nb_components < 3
    }

    static func hasPalette(_ format: AVPixelFormat) -> Bool {
        guard let descriptor = av_pix_fmt_desc_get(format) else { return false }
        return descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_PAL) != 0
    }

    /// Points a frame at planes that somebody else owns.
    static func borrow(_ planes: [VideoPlane], into frame: UnsafeMutablePointer<AVFrame>) {
        withUnsafeMutableBytes(of: &frame.pointee.data) { data in
            let pointers = data.bindMemory(to: UnsafeMutablePointer<UInt8>?.self)
            for (index, plane) in planes.enumerated() where index < pointers.count {
                pointers[index] = UnsafeMutableRawPointer(mutating: plane.baseAddress)
                    .assumingMemoryBound(to: UInt8.self)
            }
        }
        withUnsafeMutableBytes(of: &frame.pointee.linesize) { sizes in
            let strides = sizes.bindMemory(to: Int32.self)
            for (index, plane) in planes.enumerated() where index < strides.count {
                strides[index] = Int32(clamping: plane.bytesPerRow)
            }
        }
    }
}
