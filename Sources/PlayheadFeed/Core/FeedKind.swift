import Foundation

/// What a cell holds.
public enum FeedKind: Hashable, Sendable {
    /// A video, which plays when its cell is chosen.
    case clip
    /// A picture, which is shown for so many seconds where pages turn by themselves. Never chosen in a list.
    case picture(seconds: Double)
    /// Text, advertisements, whatever does not play.
    case other
}
