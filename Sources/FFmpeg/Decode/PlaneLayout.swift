internal import CFFmpeg
internal import MediaCore

/// The positions of a frame's samples in memory.
enum PlaneLayout {
    /// The bytes of the palette of a "pal8" frame: 256 colors of 4 bytes.
    static let paletteSize = 1024

    static func planes(_ frame: AVFrame) -> [VideoPlane] {
        let format = AVPixelFormat(frame.format)
        guard let descriptor = av_pix_fmt_desc_get(format) else { return [] }
        let hasPalette = descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_PAL) != 0
        let count = hasPalette ? 1 : Int(max(0, av_pix_fmt_count_planes(format)))
        var planes: [VideoPlane] = []
        withUnsafeBytes(of: frame.data) { data in
            withUnsafeBytes(of: frame.linesize) { strides in
                let pointers = data.bindMemory(to: UnsafeMutablePointer<UInt8>?.self)
                let strides = strides.bindMemory(to: Int32.self)
                for index in 0..<min(count, pointers.count) {
                    guard let base = pointers[index] else { break }
                    let isChroma = index == 1 || index == 2
                    let shift = isChroma && !hasPalette ? Int(descriptor.pointee.log2_chroma_h) : 0
                    let height = Int(max(0, frame.height))
                    let used = av_image_get_linesize(format, frame.width, Int32(index))
                    planes.append(
                        VideoPlane(
                            baseAddress: UnsafeRawPointer(base),
                            bytesPerRow: Int(strides[index]),
                            bytesUsedPerRow: Int(max(0, used)),
                            rowCount: (height + (1 << shift) - 1) >> shift
                        )
                    )
                }
                if hasPalette, pointers.count > 1, let palette = pointers[1] {
                    planes.append(
                        VideoPlane(
                            baseAddress: UnsafeRawPointer(palette),
                            bytesPerRow: paletteSize,
                            bytesUsedPerRow: paletteSize,
                            rowCount: 1
                        )
                    )
                }
            }
        }
        return planes
    }
}
