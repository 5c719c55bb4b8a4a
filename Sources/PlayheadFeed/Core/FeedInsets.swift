import Foundation

/// What is covered at the edges of the viewport: headers, bars. In points.
public struct FeedInsets: Hashable, Sendable {
    /// Covered at the top.
    public var top: Double
    /// Covered at the left.
    public var left: Double
    /// Covered at the bottom.
    public var bottom: Double
    /// Covered at the right.
    public var right: Double

    /// Nothing is covered where nothing is said.
    public init(top: Double = 0, left: Double = 0, bottom: Double = 0, right: Double = 0) {
        self.top = top
        self.left = left
        self.bottom = bottom
        self.right = right
    }
}
