public import Foundation

/// The visible part of a list: the bounds of the scroll view without the parts that are covered.
public struct FeedViewport: Equatable, Sendable {
    /// The bounds of the scroll view, in points of the list's content, as `UIScrollView.bounds`.
    public var bounds: CGRect
    /// The parts that are covered at the edges.
    public var insets: FeedInsets

    /// Creates a viewport.
    ///
    /// - Parameters:
    ///   - bounds: The bounds of the scroll view, in points of the list's content.
    ///   - insets: The parts that are covered at the edges.
    public init(_ bounds: CGRect, insets: FeedInsets = FeedInsets()) {
        self.bounds = bounds
        self.insets = insets
    }

    /// The bounds without the covered parts. The size is never negative.
    public var visible: CGRect {
        CGRect(
            x: bounds.minX + insets.left,
            y: bounds.minY + insets.top,
            width: max(0, bounds.width - insets.left - insets.right),
            height: max(0, bounds.height - insets.top - insets.bottom)
        )
    }

    /// Returns the share of a frame: its visible area divided by the largest area of it that can be visible at once.
    ///
    /// - Parameter frame: A frame in points of the list's content.
    /// - Returns: A share in 0...1.
    public func share(of frame: CGRect) -> Double {
        let visibleRect = visible
        let width = min(frame.maxX, visibleRect.maxX) - max(frame.minX, visibleRect.minX)
        let height = min(frame.maxY, visibleRect.maxY) - max(frame.minY, visibleRect.minY)
        let reachable = min(frame.width, visibleRect.width) * min(frame.height, visibleRect.height)
        // Comparisons with NaN are false.
        guard width > 0, height > 0, reachable > 0 else { return 0 }
        return min(1, width * height / reachable)
    }

    func covers(_ frame: CGRect, x: Double, y: Double) -> Bool {
        let visibleRect = visible
        let (x, y) = (visibleRect.minX + x * visibleRect.width, visibleRect.minY + y * visibleRect.height)
        return !visibleRect.isEmpty && x >= frame.minX && x < frame.maxX && y >= frame.minY && y < frame.maxY
    }
}
