/// Width and height in pixels.
public struct PixelSize: Hashable, Sendable, CustomStringConvertible {
    /// Pixels from left to right.
    public var width: Int
    /// Pixels from top to bottom.
    public var height: Int

    /// Any numbers are taken; `isEmpty` says whether they are a size.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// No size at all; often "unknown".
    public static let zero = PixelSize(width: 0, height: 0)
    /// Not a single pixel: a side is zero or below.
    public var isEmpty: Bool { width <= 0 || height <= 0 }
    public var description: String { "\(width)x\(height)" }
}
