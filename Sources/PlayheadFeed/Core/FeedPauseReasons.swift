/// Why a chosen clip stands. Each is a reason of its own: when one is over the others still hold.
public struct FeedPauseReasons: OptionSet, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The list is under another screen.
    public static let hidden = FeedPauseReasons(rawValue: 1)
    /// The program is in the background.
    public static let background = FeedPauseReasons(rawValue: 2)
    /// The user paused it. Nothing but the user ends that.
    public static let user = FeedPauseReasons(rawValue: 4)
    /// It waits for data. It is still meant to play: nobody else gets its turn, and its sound.
    public static let waiting = FeedPauseReasons(rawValue: 8)
    /// It was played to its end.
    public static let ended = FeedPauseReasons(rawValue: 16)
    /// It cannot be played.
    public static let failed = FeedPauseReasons(rawValue: 32)

    /// Nothing but missing data keeps it from playing.
    var allowPlaying: Bool { subtracting(.waiting).isEmpty }

    public var description: String {
        let names: [(FeedPauseReasons, String)] = [
            (.hidden, "hidden"), (.background, "background"), (.user, "user"),
            (.waiting, "waiting"), (.ended, "ended"), (.failed, "failed"),
        ]
        return isEmpty ? "not chosen" : names.filter { contains($0.0) }.map(\.1).joined(separator: "+")
    }
}
