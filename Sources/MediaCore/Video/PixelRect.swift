/// A rectangle in pixels; the origin is the top left corner.
public struct PixelRect: Hashable, Sendable {
    /// Pixels from the left edge; below zero: it begins left of it.
    public var x: Int
    /// Pixels from the top edge; below zero: it begins above it.
    public var y: Int
    /// Pixels from `x` to the right.
    public var width: Int
    /// Pixels from `y` downwards.
    public var height: Int

    /// The rectangle whose top left corner is `x`, `y`.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Empty, in the top left corner.
    public static let zero = PixelRect(x: 0, y: 0, width: 0, height: 0)
    /// Width and height without the place.
    public var size: PixelSize { PixelSize(width: width, height: height) }
}
