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
    func provide(_ frame: UnsafeMutablePointer<AVFrame>, for context: UnsafeMutablePointer<AVCodecContext>)
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
                    let fresh = ShapePool(shape, layout)
                else { return PH_ERROR_ENOMEM }
                pool = fresh
            }
            return pool?.fill(frame) ?? PH_ERROR_ENOMEM
        }
    }

    /// Hardware surfaces and palettes have rules of their own, and so have codecs that bring their own memory.
    static func serves(_ frame: UnsafePointer<AVFrame>, of context: UnsafePointer<AVCodecContext>) -> Bool {
        guard let codec = context.pointee.codec, codec.pointee.capabilities & AV_CODEC_CAP_DR1 != 0,
            let descriptor = av_pix_fmt_desc_get(AVPixelFormat(frame.pointee.format))
        else { return false }
        let others = AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM
        return descriptor.pointee.flags & UInt64(others) == 0
    }
}

/// Where the planes of a frame begin in its piece of memory.
struct FrameLayout {
    private(set) var strides: [Int32] = []
    private(set) var offsets: [Int] = []
    private(set) var size = 0

    /// Behind each plane: libavcodec's assembly may read and write past the end by up to a vector.
    private static let spare = 128
    private static let alignment = 64
    private static let planes = 4

    /// As a codec wants it; nil for sizes that cannot be.
    init?(_ shape: FramePool.Shape, context: UnsafeMutablePointer<AVCodecContext>) {
        var width = shape.width
        var height = shape.height
        var wanted = [Int32](repeating: 1, count: Int(AV_NUM_DATA_POINTERS))
        avcodec_align_dimensions2(context, &width, &height, &wanted)
        let format = AVPixelFormat(shape.format)
        var strides = [Int32](repeating: 0, count: Self.planes)
        repeat {
            guard width > 0, av_image_fill_linesizes(&strides, format, width) >= 0 else { return nil }
            // The next width with one more factor of two.
            width &+= width & -width
        } while (0..<Self.planes).contains { strides[$0] % max(1, wanted[$0]) != 0 }
        self.init(format, height: height, strides)
    }

    /// For libswscale, whose assembly writes whole vectors; nil for sizes that cannot be.
    init?(_ shape: FramePool.Shape) {
        let format = AVPixelFormat(shape.format)
        var strides = [Int32](repeating: 0, count: Self.planes)
        guard shape.width > 0, av_image_fill_linesizes(&strides, format, shape.width) >= 0 else { return nil }
        let unit = Int32(Self.alignment)
        guard strides.allSatisfy({ $0 < Int32.max - unit }) else { return nil }
        self.init(format, height: shape.height, strides.map { ($0 + unit - 1) & ~(unit - 1) })
    }

    private init?(_ format: AVPixelFormat, height: Int32, _ strides: [Int32]) {
        let planes = Self.planes
        var sizes = [Int](repeating: 0, count: planes)
        guard av_image_fill_plane_sizes(&sizes, format, height, strides.map { Int($0) }) >= 0 else {
            return nil
        }
        for plane in 0..<planes where sizes[plane] > 0 {
            self.strides.append(strides[plane])
            offsets.append(size)
            let (end, overflow) = size.addingReportingOverflow(sizes[plane] + FrameLayout.spare)
            guard !overflow, end < Int(Int32.max) else { return nil }
            size = (end + FrameLayout.alignment - 1) & ~(FrameLayout.alignment - 1)
        }
    }
}

/// Frames of one shape. Those that readers still hold keep their memory after it is gone.
final class ShapePool {
    let shape: FramePool.Shape
    private let layout: FrameLayout
    private let supply: SlabSupply

    init?(_ shape: FramePool.Shape, _ layout: FrameLayout) {
        guard layout.size > 0 else { return nil }
        self.shape = shape
        self.layout = layout
        supply = SlabSupply(pieceSize: layout.size)
    }

    deinit { supply.close() }

    func fill(_ frame: UnsafeMutablePointer<AVFrame>) -> Int32 {
        guard let buffer = supply.next(), let base = buffer.pointee.data else { return PH_ERROR_ENOMEM }
        frame.pointee.buf.0 = buffer
        withUnsafeMutableBytes(of: &frame.pointee.data) { data in
            withUnsafeMutableBytes(of: &frame.pointee.linesize) { strides in
                let data = data.bindMemory(to: UnsafeMutablePointer<UInt8>?.self)
                let strides = strides.bindMemory(to: Int32.self)
                for plane in layout.offsets.indices {
                    data[plane] = base + layout.offsets[plane]
                    strides[plane] = layout.strides[plane]
                }
            }
        }
        return 0
    }
}
