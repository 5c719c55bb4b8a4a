public import Foundation

/// The part of the content that is seen: the bounds of the scroll view without what is covered.
public struct FeedViewport: Equatable, Sendable {
    /// In points of the list's content, as `UIScrollView.bounds` is.
    public var bounds: CGRect
    /// Covered at the edges.
    public var insets: FeedInsets

    /// `insets`: nothing is covered where they are left out.
    public init(_ bounds: CGRect, insets: FeedInsets = FeedInsets()) {
        self.bounds = bounds
        self.insets = insets
    }

    /// What is left of the bounds; no smaller than nothing.
    public var visible: CGRect {
        CGRect(
            x: bounds.minX + insets.left,
            y: bounds.minY + insets.top,
            width: max(0, bounds.width - insets.left - insets.right),
            height: max(0, bounds.height - insets.top - insets.bottom)
        )
    }

    /// How much of `frame` is seen, 0...1: the area in view, by the area that can be in view at most.
    public func share(of frame: CGRect) -> Double {
        let seen = visible
        let width = min(frame.maxX, seen.maxX) - max(frame.minX, seen.minX)
        let height = min(frame.maxY, seen.maxY) - max(frame.minY, seen.minY)
        let reachable = min(frame.width, seen.width) * min(frame.height, seen.height)
        // What is no number compares as false.
        guard width > 0, height > 0, reachable > 0 else { return 0 }
        return min(1, width * height / reachable)
    }

    func covers(_ frame: CGRect, x: Double, y: Double) -> Bool {
        let seen = visible
        let (x, y) = (seen.minX + x * seen.width, seen.minY + y * seen.height)
        return !seen.isEmpty && x >= frame.minX && x < frame.maxX && y >= frame.minY && y < frame.maxY
    }
}
