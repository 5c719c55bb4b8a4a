import Foundation

/// The kind of content in a cell.
public enum FeedKind: Hashable, Sendable {
    /// A video, which plays when its cell is chosen.
    case clip
    /// A picture. A carousel shows it for the given number of seconds, at least a tenth of a second; in a list it is
    /// never chosen.
    case picture(seconds: Double)
    /// Content that does not play, for example text or an advertisement.
    case other
}
