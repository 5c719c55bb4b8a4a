internal import CFFmpeg
package import MediaCore

/// Frames whose memory is copied from packed samples: the rows of all planes in order, without padding, as in a file of
/// raw video.
package enum PackedFrames {
    /// Returns memory with a copy of packed samples.
    ///
    /// - Parameters:
    ///   - bytes: The samples.
    ///   - format: The pixel format.
    ///   - size: The size in pixels.
    /// - Throws: `MediaError` with the code `.invalidArgument` if the format is unknown, the size is empty or too
    ///   large, or the number of bytes is not that of such a frame; `.resourceLimit` without memory.
    package static func storage(
        _ bytes: [UInt8],
        _ format: PixelFormat,
        _ size: PixelSize
    ) throws(MediaError) -> any VideoFrameStorage {
        let isFloat = format == .rgbf32
        // Floating point needs as much memory as three planes of 32 bits.
        let library = isFloat ? AV_PIX_FMT_GBRPF32LE : av_get_pix_fmt(format.rawValue)
        guard let descriptor = av_pix_fmt_desc_get(library),
            descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_HWACCEL) == 0
        else { throw MediaError(.invalidArgument, "unknown pixel format \(format)") }
        guard !size.isEmpty,
            av_image_check_size(UInt32(clamping: size.width), UInt32(clamping: size.height), 0, nil) >= 0
        else { throw MediaError(.invalidArgument, "invalid frame size \(size)") }
        let owner = try FrameOwner(size: size, format: library)
        let planes = PlaneLayout.planes(owner.pointer.pointee)
        let count = planes.reduce(0) { $0 + $1.bytesUsedPerRow * $1.rowCount }
        guard bytes.count == count else {
            throw MediaError(
                .invalidArgument,
                "a \(format) frame of \(size) has \(count) bytes, not \(bytes.count)"
            )
        }
        guard !isFloat else {
            let samples = [Float](unsafeUninitializedCapacity: count / 4) { samples, initializedCount in
                UnsafeMutableRawBufferPointer(samples).copyBytes(from: bytes)
                initializedCount = count / 4
            }
            return PackedFrameStorage(samples, rowCount: size.height)
        }
        bytes.withUnsafeBytes { bytes in
            guard var source = bytes.baseAddress else { return }
            for plane in planes {
                for row in 0..<plane.rowCount {
                    (UnsafeMutableRawPointer(mutating: plane.baseAddress) + row * plane.bytesPerRow)
                        .copyMemory(from: source, byteCount: plane.bytesUsedPerRow)
                    source += plane.bytesUsedPerRow
                }
            }
        }
        return FFmpegVideoStorage(owner)
    }
}
