/// How a frame is laid into a layer of another shape.
public enum VideoGravity: String, Hashable, Sendable, CaseIterable {
    /// The whole frame, its shape kept.
    case resizeAspect
    /// The whole layer covered, the frame's shape kept.
    case resizeAspectFill
    /// Stretched to the layer.
    case resize

    /// Size of a whole frame, upright and with square pixels, laid into `bounds`: with `resizeAspectFill` it may
    /// be larger than these. `VideoGeometry` tells more, and takes the exact pixel aspect.
    public func fittedSize(of size: PixelSize, in bounds: PixelSize) -> PixelSize {
        guard !size.isEmpty, !bounds.isEmpty, self != .resize else { return bounds }
        return VideoGeometry(VideoShape(size: size), gravity: self, target: bounds).videoRect.size
    }
}
