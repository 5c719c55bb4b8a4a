import Foundation

/// The parts of a viewport that are covered at its edges, for example by headers and bars, in points.
public struct FeedInsets: Hashable, Sendable {
    /// The covered height at the top.
    public var top: Double
    /// The covered width at the left.
    public var left: Double
    /// The covered height at the bottom.
    public var bottom: Double
    /// The covered width at the right.
    public var right: Double

    /// Creates insets. Edges that are omitted are not covered.
    ///
    /// - Parameters:
    ///   - top: The covered height at the top.
    ///   - left: The covered width at the left.
    ///   - bottom: The covered height at the bottom.
    ///   - right: The covered width at the right.
    public init(top: Double = 0, left: Double = 0, bottom: Double = 0, right: Double = 0) {
        self.top = top
        self.left = left
        self.bottom = bottom
        self.right = right
    }
}
