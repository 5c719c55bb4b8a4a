internal import CFFmpeg
internal import Glibc
internal import MediaCore

/// The memory of frames of one shape. Frames that are still in use keep their memory when the pool is released.
final class ShapePool {
    let shape: FramePool.Shape
    private let layout: FrameLayout
    private let supply: SlabSupply

    init?(_ shape: FramePool.Shape, _ layout: FrameLayout) {
        guard layout.byteCount > 0 else { return nil }
        self.shape = shape
        self.layout = layout
        supply = SlabSupply(pieceSize: layout.byteCount)
    }

    deinit { supply.close() }

    func fill(_ frame: UnsafeMutablePointer<AVFrame>) -> Int32 {
        guard let buffer = supply.makeBuffer(), let base = buffer.pointee.data else { return PH_ERROR_ENOMEM }
        frame.pointee.buf.0 = buffer
        withUnsafeMutableBytes(of: &frame.pointee.data) { data in
            withUnsafeMutableBytes(of: &frame.pointee.linesize) { strides in
                let data = data.bindMemory(to: UnsafeMutablePointer<UInt8>?.self)
                let strides = strides.bindMemory(to: Int32.self)
                for plane in layout.planeOffsets.indices {
                    data[plane] = base + layout.planeOffsets[plane]
                    strides[plane] = layout.lineSizes[plane]
                }
            }
        }
        return 0
    }
}
