internal import CFFmpeg
internal import MediaCore

/// Memory for the frames that a converter makes, which is used again when their readers let go of them. Not safe for
/// threads; the frames are.
final class FrameMemoryPool {
    private var pools: [ShapePool] = []

    /// A conversion has a result and what lies between; another size follows seldom.
    private static let maximumShapeCount = 3

    /// Not written yet.
    func frame(size: PixelSize, format: AVPixelFormat) throws(MediaError) -> FrameOwner {
        // Palettes lie with their frame.
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
            throw MediaError(.resourceLimit, "no memory for a picture", isRetryable: true)
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
