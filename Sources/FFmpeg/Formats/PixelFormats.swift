internal import CFFmpeg
internal import MediaCore

/// The properties of pixel formats that conversions need.
enum PixelFormats {
    /// Returns the format without an implied range, for the deprecated formats whose name implies full range. The range
    /// is passed separately.
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

    /// Returns the bits per component, or 0 for unknown formats.
    static func depth(_ format: AVPixelFormat) -> Int {
        guard let descriptor = av_pix_fmt_desc_get(format) else { return 0 }
        return Int(descriptor.pointee.comp.0.depth)
    }

    static func isGray(_ format: AVPixelFormat) -> Bool {
        guard let descriptor = av_pix_fmt_desc_get(format) else { return false }
        return descriptor.pointee.nb_components < 3
    }

    /// Returns whether one plane has both components of chroma, and another one luma.
    static func hasPairedChroma(_ format: AVPixelFormat) -> Bool {
        guard let descriptor = av_pix_fmt_desc_get(format), descriptor.pointee.nb_components >= 3 else {
            return false
        }
        let components = descriptor.pointee.comp
        return components.1.plane == components.2.plane && components.0.plane != components.1.plane
    }

    static func hasPalette(_ format: AVPixelFormat) -> Bool {
        guard let descriptor = av_pix_fmt_desc_get(format) else { return false }
        return descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_PAL) != 0
    }

    /// Makes a frame reference planes that it does not own.
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
