/// A rectangle in pixels. The origin is the top left corner.
public struct PixelRect: Hashable, Sendable {
    /// The distance from the left edge in pixels; negative if the rectangle starts left of it.
    public var x: Int
    /// The distance from the top edge in pixels; negative if the rectangle starts above it.
    public var y: Int
    /// The width in pixels.
    public var width: Int
    /// The height in pixels.
    public var height: Int

    /// Creates a rectangle.
    ///
    /// - Parameters:
    ///   - x: The distance of its left side from the left edge.
    ///   - y: The distance of its top side from the top edge.
    ///   - width: The width in pixels.
    ///   - height: The height in pixels.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// An empty rectangle in the top left corner.
    public static let zero = PixelRect(x: 0, y: 0, width: 0, height: 0)
    /// The size of the rectangle.
    public var size: PixelSize { PixelSize(width: width, height: height) }
}
