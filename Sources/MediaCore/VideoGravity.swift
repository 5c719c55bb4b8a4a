/// How a picture is laid into a layer of another shape.
public enum VideoGravity: String, Hashable, Sendable, CaseIterable {
    /// The whole picture, its shape kept.
    case resizeAspect
    /// The whole layer covered, the picture's shape kept.
    case resizeAspectFill
    /// Stretched to the layer.
    case resize

    /// Size of a picture, upright and with square pixels, laid into `bounds`.
    public func fittedSize(of picture: PixelSize, in bounds: PixelSize) -> PixelSize {
        guard !picture.isEmpty, !bounds.isEmpty, self != .resize else { return bounds }
        let x = Double(bounds.width) / Double(picture.width)
        let y = Double(bounds.height) / Double(picture.height)
        let scale = self == .resizeAspect ? min(x, y) : max(x, y)
        return PixelSize(
            width: max(1, Int((Double(picture.width) * scale).rounded())),
            height: max(1, Int((Double(picture.height) * scale).rounded()))
        )
    }
}
