internal import CFFmpeg
internal import Glibc
internal import MediaCore

/// The positions of a frame's planes in a block of memory.
struct FrameLayout {
    private(set) var lineSizes: [Int32] = []
    private(set) var planeOffsets: [Int] = []
    private(set) var byteCount = 0

    /// The number of bytes after each plane that libavcodec's vector code may read or write.
    private static let overreadByteCount = 128
    private static let alignment = 64
    private static let planeCount = 4

    /// Creates the layout that a codec requires. Returns nil for invalid sizes.
    init?(_ shape: FramePool.Shape, context: UnsafeMutablePointer<AVCodecContext>) {
        var width = shape.width
        var height = shape.height
        var requiredAlignments = [Int32](repeating: 1, count: Int(AV_NUM_DATA_POINTERS))
        avcodec_align_dimensions2(context, &width, &height, &requiredAlignments)
        let format = AVPixelFormat(shape.format)
        var lineSizes = [Int32](repeating: 0, count: Self.planeCount)
        repeat {
            guard width > 0, av_image_fill_linesizes(&lineSizes, format, width) >= 0 else { return nil }
            // Continues with the next width that is divisible by a higher power of two.
            width &+= width & -width
        } while (0..<Self.planeCount).contains { lineSizes[$0] % max(1, requiredAlignments[$0]) != 0 }
        self.init(format, height: height, lineSizes)
    }

    /// Creates a layout for libswscale, whose vector code writes whole vectors. Returns nil for invalid sizes.
    init?(_ shape: FramePool.Shape) {
        let format = AVPixelFormat(shape.format)
        var lineSizes = [Int32](repeating: 0, count: Self.planeCount)
        guard shape.width > 0, av_image_fill_linesizes(&lineSizes, format, shape.width) >= 0 else {
            return nil
        }
        let unit = Int32(Self.alignment)
        guard lineSizes.allSatisfy({ $0 < Int32.max - unit }) else { return nil }
        self.init(format, height: shape.height, lineSizes.map { ($0 + unit - 1) & ~(unit - 1) })
    }

    private init?(_ format: AVPixelFormat, height: Int32, _ lineSizes: [Int32]) {
        let planeCount = Self.planeCount
        var sizes = [Int](repeating: 0, count: planeCount)
        guard av_image_fill_plane_sizes(&sizes, format, height, lineSizes.map { Int($0) }) >= 0 else {
            return nil
        }
        for plane in 0..<planeCount where sizes[plane] > 0 {
            self.lineSizes.append(lineSizes[plane])
            planeOffsets.append(byteCount)
            let (end, overflow) = byteCount.addingReportingOverflow(
                sizes[plane] + FrameLayout.overreadByteCount
            )
            guard !overflow, end < Int(Int32.max) else { return nil }
            byteCount = (end + FrameLayout.alignment - 1) & ~(FrameLayout.alignment - 1)
        }
    }
}
