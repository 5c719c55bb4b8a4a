internal import CFFmpeg
internal import MediaCore

/// A pool of memory for converted frames. Memory is reused once all readers have released a frame. The pool is not
/// thread-safe; its frames are.
final class FrameMemoryPool {
    private var pools: [ShapePool] = []

    /// The number of shapes that are kept. A conversion needs memory for its result and an intermediate frame, and
    /// rarely for another size.
    private static let maximumShapeCount = 3

    /// Returns a frame with uninitialized memory.
    func frame(size: PixelSize, format: AVPixelFormat) throws(MediaError) -> FrameOwner {
        // A palette is stored with its frame.
        guard !PixelFormats.hasPalette(format) else { return try FrameOwner(size: size, format: format) }
        let owner = try FrameOwner()
        let shape = FramePool.Shape(
            format: format.rawValue,
            width: Int32(clamping: size.width),
            height: Int32(clamping: size.height)
        )
        owner.pointer.pointee.width = shape.width
        owner.pointer.pointee.height = shape.height
        owner.pointer.pointee.format = shape.format
        guard let pool = pool(for: shape), pool.fill(owner.pointer) >= 0 else {
            throw MediaError(.resourceLimit, "no memory for a frame", isRetryable: true)
        }
        return owner
    }

    private func pool(for shape: FramePool.Shape) -> ShapePool? {
        if let pool = pools.first(where: { $0.shape == shape }) { return pool }
        guard let layout = FrameLayout(shape), let pool = ShapePool(shape, layout) else { return nil }
        if pools.count >= Self.maximumShapeCount { pools.removeFirst() }
        pools.append(pool)
        return pool
    }
}
