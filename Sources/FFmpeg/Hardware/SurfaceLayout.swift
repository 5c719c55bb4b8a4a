internal import CFFmpeg
internal import MediaCore

/// The conversion of a device's frame to the format of the software decoder, which is bit-exact.
///
/// Devices interleave the two chroma planes, and store 10-bit samples in the upper bits of 16 (nv12, p010). Because of
/// this conversion, readers need not know where a frame was decoded, and the format does not change when the decoder
/// falls back to software.
struct SurfaceLayout: Equatable {
    /// The format of the device.
    let source: AVPixelFormat
    /// The format of the software decoder.
    let target: AVPixelFormat
    /// Whether chroma samples are interleaved and must be split.
    private let splitsChroma: Bool
    private let isSwapped: Bool
    private let isWide: Bool
    private let shift: Int32

    /// Returns nil if `target` cannot be produced from `source` without loss.
    init?(_ source: AVPixelFormat, to target: AVPixelFormat) {
        self.source = source
        self.target = target
        if PixelFormats.withoutRange(source) == PixelFormats.withoutRange(target) {
            (splitsChroma, isSwapped, isWide, shift) = (false, false, false, 0)
            return
        }
        guard let from = av_pix_fmt_desc_get(source)?.pointee, let to = av_pix_fmt_desc_get(target)?.pointee,
            from.nb_components == 3, to.nb_components == 3,
            from.log2_chroma_w == to.log2_chroma_w, from.log2_chroma_h == to.log2_chroma_h,
            (from.flags | to.flags) & UInt64(AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_RGB) == 0,
            av_pix_fmt_count_planes(source) == 2, av_pix_fmt_count_planes(target) == 3
        else { return nil }
        let width = from.comp.0.step
        let low = from.comp.0.shift + from.comp.0.depth - to.comp.0.depth
        guard width == to.comp.0.step, width == 1 || width == 2, from.comp.1.plane == from.comp.2.plane,
            from.comp.1.step == 2 * width, to.comp.0.shift == 0, low >= 0, width == 2 || low == 0
        else { return nil }
        (splitsChroma, isSwapped, isWide, shift) = (
            true, from.comp.1.offset > from.comp.2.offset, width == 2, low
        )
    }

    /// Returns the planar format that corresponds to a device's format. It is used for V4L2, where the codec does not
    /// report the software format.
    static func planar(_ format: AVPixelFormat) -> AVPixelFormat {
        switch format {
        case AV_PIX_FMT_NV12, AV_PIX_FMT_NV21: AV_PIX_FMT_YUV420P
        case AV_PIX_FMT_NV16: AV_PIX_FMT_YUV422P
        case AV_PIX_FMT_P010LE: AV_PIX_FMT_YUV420P10LE
        default: format
        }
    }

    /// Returns the frame in the target's layout. If no samples have to be moved, it is the same frame.
    func apply(_ frame: FrameOwner) throws(MediaError) -> FrameOwner {
        guard splitsChroma else {
            frame.pointer.pointee.format = target.rawValue
            return frame
        }
        let size = PixelSize(
            width: Int(frame.pointer.pointee.width),
            height: Int(frame.pointer.pointee.height)
        )
        let made = try FrameOwner(size: size, format: target)
        let code = av_frame_copy_props(made.pointer, frame.pointer)
        if code < 0 { throw LibraryError.make(code, "cannot copy a frame", fallback: .resourceLimit) }
        let from = PlaneLayout.planes(frame.pointer.pointee)
        let to = PlaneLayout.planes(made.pointer.pointee)
        guard from.count == 2, to.count == 3 else {
            throw MediaError(.conversionFailed, "device frame without pixels")
        }
        copyLuma(from[0], to[0])
        split(from[1], into: isSwapped ? to[2] : to[1], isSwapped ? to[1] : to[2])
        return made
    }

    private func copyLuma(_ from: VideoPlane, _ to: VideoPlane) {
        for row in 0..<min(from.rowCount, to.rowCount) {
            let source = from.baseAddress + row * from.bytesPerRow
            let target = UnsafeMutableRawPointer(mutating: to.baseAddress) + row * to.bytesPerRow
            if shift == 0 {
                target.copyMemory(from: source, byteCount: to.bytesUsedPerRow)
            } else {
                ph_shift_down16(
                    source.assumingMemoryBound(to: UInt16.self),
                    target.assumingMemoryBound(to: UInt16.self),
                    Int32(to.bytesUsedPerRow / 2),
                    shift
                )
            }
        }
    }

    private func split(_ from: VideoPlane, into first: VideoPlane, _ second: VideoPlane) {
        for row in 0..<min(from.rowCount, first.rowCount) {
            let source = from.baseAddress + row * from.bytesPerRow
            let one = UnsafeMutableRawPointer(mutating: first.baseAddress) + row * first.bytesPerRow
            let other = UnsafeMutableRawPointer(mutating: second.baseAddress) + row * second.bytesPerRow
            if isWide {
                ph_split_pairs16(
                    source.assumingMemoryBound(to: UInt16.self),
                    one.assumingMemoryBound(to: UInt16.self),
                    other.assumingMemoryBound(to: UInt16.self),
                    Int32(first.bytesUsedPerRow / 2),
                    shift
                )
            } else {
                ph_split_pairs8(
                    source.assumingMemoryBound(to: UInt8.self),
                    one.assumingMemoryBound(to: UInt8.self),
                    other.assumingMemoryBound(to: UInt8.self),
                    Int32(first.bytesUsedPerRow)
                )
            }
        }
    }
}
