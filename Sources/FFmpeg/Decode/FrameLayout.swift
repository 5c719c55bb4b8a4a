internal import CFFmpeg
internal import Glibc
internal import MediaCore

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
