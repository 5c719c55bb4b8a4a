/// The way in which a frame is fitted into a layer of another shape.
public enum VideoGravity: String, Hashable, Sendable, CaseIterable {
    /// The whole frame is visible, and its aspect ratio is kept.
    case resizeAspect
    /// The frame covers the whole layer, and its aspect ratio is kept.
    case resizeAspectFill
    /// The frame is stretched to the layer.
    case resize

    /// Returns the size of an upright frame with square pixels in bounds.
    ///
    /// `VideoGeometry` provides more, and supports exact pixel aspect ratios.
    ///
    /// - Parameters:
    ///   - size: The size of the frame.
    ///   - bounds: The size to fit it into.
    /// - Returns: The size of the whole frame. With `resizeAspectFill` it may exceed the bounds.
    public func fittedSize(of size: PixelSize, in bounds: PixelSize) -> PixelSize {
        guard !size.isEmpty, !bounds.isEmpty, self != .resize else { return bounds }
        return VideoGeometry(VideoShape(size: size), gravity: self, target: bounds).videoRect.size
    }
}
