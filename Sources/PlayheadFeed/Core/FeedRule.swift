/// The rule by which a feed chooses the cells that play.
///
/// A cell's share is its visible area divided by the largest area of it that can be visible at once. A cell that is
/// larger than the viewport therefore has a share of 1 when it fills the viewport.
public enum FeedRule: Hashable, Sendable {
    /// The cell with the largest share; of equal shares, the first in the list. No cell is chosen if all shares are
    /// below `atLeast`, which lies in 0...1.
    case mostVisible(atLeast: Double)
    /// The first cell in the list whose share is at least `atLeast`, which lies in 0...1. A common value is 0.85.
    case first(atLeast: Double)
    /// All cells whose share is at least `atLeast`, in list order, up to `upTo` of them. A value of 0 selects all cells
    /// that are at least partly visible.
    case all(atLeast: Double, upTo: Int)
    /// The cell that covers a point of the viewport; of overlapping cells, the first in the list. (0, 0) is the top
    /// left corner and (1, 1) the bottom right corner.
    case atPoint(x: Double, y: Double)

    /// The first cell in the list that is as visible as it can be.
    public static let firstWhollyVisible = FeedRule.first(atLeast: 1)

    /// The number of clips that may play at the same time.
    public var maximumPlaying: Int {
        if case .all(_, let count) = self { max(1, count) } else { 1 }
    }
}
