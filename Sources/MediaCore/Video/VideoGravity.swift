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
    public func fittedSize(of picture: PixelSize, in bounds: PixelSize) -> PixelSize {
        guard !picture.isEmpty, !bounds.isEmpty, self != .resize else { return bounds }
        return VideoGeometry(VideoShape(size: picture), gravity: self, target: bounds).videoRect.size
    }
}
