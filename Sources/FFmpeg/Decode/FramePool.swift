internal import CFFmpeg
internal import Glibc
internal import MediaCore

/// Where one decoder's frames lie: taken from the system in large pieces on huge pages, and used again.
///
/// libavcodec's own pool asks for each frame by itself and clears it: hundreds of page faults each, a few
/// milliseconds before the first frame is there. This one also outlives the codec context, so that a loop's
/// next pass decodes into memory that is there already.
final class FramePool: Sendable {
    /// What a pool's frames look like. Codecs with frame threads may ask for two shapes at once.
    struct Shape: Equatable {
        var format: Int32
        var width: Int32
        var height: Int32
    }

    private let pool = Locked<ShapePool?>(nil)

    /// Gives `frame` memory, from any of the codec's threads; an error number of libav's where there is none.
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

    /// Hardware surfaces and palettes have rules of their own, and so have codecs that bring their own memory.
    static func supports(_ frame: UnsafePointer<AVFrame>, of context: UnsafePointer<AVCodecContext>) -> Bool {
        guard let codec = context.pointee.codec, codec.pointee.capabilities & AV_CODEC_CAP_DR1 != 0,
            let descriptor = av_pix_fmt_desc_get(AVPixelFormat(frame.pointee.format))
        else { return false }
        let unsupportedFlags = AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM
        return descriptor.pointee.flags & UInt64(unsupportedFlags) == 0
    }
}
