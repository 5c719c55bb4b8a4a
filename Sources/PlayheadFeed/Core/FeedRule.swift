/// Which of the visible cells plays. Shares are of what can be seen of a cell at most: a cell that is larger than the
/// viewport has a share of 1 where it fills it, so it can play too.
public enum FeedRule: Hashable, Sendable {
    /// The one with the largest share of its area in view; of equal ones the first of the list. None where no share is
    /// as large as `atLeast`, 0...1.
    case mostVisible(atLeast: Double)
    /// The first of the list with this share in view, or more. 0...1; 0.85 is common.
    case first(atLeast: Double)
    /// All with this share in view, or more, in the order of the list, up to so many. 0: all of which anything is seen.
    case all(atLeast: Double, upTo: Int)
    /// The one that covers a point of the viewport; 0, 0 is its top left corner, 1, 1 its bottom right one. Of cells that
    /// overlap there, the first of the list.
    case atPoint(x: Double, y: Double)

    /// The first of the list that is wholly in view, or as far as it can be.
    public static let firstWhollyVisible = FeedRule.first(atLeast: 1)

    /// How many it lets play at the same time.
    public var maximumPlaying: Int {
        if case .all(_, let count) = self { max(1, count) } else { 1 }
    }
}
