internal import CFFmpeg
internal import Glibc
internal import MediaCore

/// The memory for the frames of one decoder. It is allocated in large blocks on huge pages and reused.
///
/// libavcodec's pool allocates and clears each frame separately, which causes hundreds of page faults per frame and
/// delays the first frame by a few milliseconds. This pool also outlives the codec context, so the next pass of a loop
/// decodes into existing memory.
final class FramePool: Sendable {
    /// The pixel format and size of the frames. Codecs with frame threads may request two shapes at once.
    struct Shape: Equatable {
        var format: Int32
        var width: Int32
        var height: Int32
    }

    private let pool = Locked<ShapePool?>(nil)

    /// Allocates the memory of a frame. Any thread of the codec may call it. Returns 0, or a libav error code.
    func allocate(_ frame: UnsafeMutablePointer<AVFrame>, for context: UnsafeMutablePointer<AVCodecContext>)
        -> Int32
    {
        let shape = Shape(
            format: frame.pointee.format,
            width: frame.pointee.width,
            height: frame.pointee.height
        )
        return pool.withLock { pool in
            if pool?.shape != shape {
                guard let layout = FrameLayout(shape, context: context),
                    let newPool = ShapePool(shape, layout)
                else { return PH_ERROR_ENOMEM }
                pool = newPool
            }
            return pool?.fill(frame) ?? PH_ERROR_ENOMEM
        }
    }

    /// Returns whether frames of this kind are supported. Hardware surfaces, palettes, and codecs that bring their own
    /// memory have other requirements.
    static func supports(_ frame: UnsafePointer<AVFrame>, of context: UnsafePointer<AVCodecContext>) -> Bool {
        guard let codec = context.pointee.codec, codec.pointee.capabilities & AV_CODEC_CAP_DR1 != 0,
            let descriptor = av_pix_fmt_desc_get(AVPixelFormat(frame.pointee.format))
        else { return false }
        let unsupportedFlags = AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM
        return descriptor.pointee.flags & UInt64(unsupportedFlags) == 0
    }
}
