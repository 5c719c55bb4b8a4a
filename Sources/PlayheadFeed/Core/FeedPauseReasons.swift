/// The reasons why a chosen clip is not playing.
///
/// The reasons are independent: the clip stays paused as long as any of them, except `waiting`, applies.
public struct FeedPauseReasons: OptionSet, Hashable, Sendable, CustomStringConvertible {
    /// The raw value of the option set.
    public let rawValue: Int
    /// Creates a set of reasons from a raw value.
    ///
    /// - Parameter rawValue: The bits of the reasons.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The list is covered by another screen.
    public static let hidden = FeedPauseReasons(rawValue: 1)
    /// The application is in the background.
    public static let background = FeedPauseReasons(rawValue: 2)
    /// The user paused the clip. Only the user ends this pause.
    public static let user = FeedPauseReasons(rawValue: 4)
    /// The clip is waiting for data. Its player keeps its rate, and no other clip is chosen or heard in its place.
    public static let waiting = FeedPauseReasons(rawValue: 8)
    /// The clip has played to its end.
    public static let ended = FeedPauseReasons(rawValue: 16)
    /// The clip cannot be played.
    public static let failed = FeedPauseReasons(rawValue: 32)

    /// Whether the clip may play. Waiting for data does not prevent it.
    var allowPlaying: Bool { subtracting(.waiting).isEmpty }

    /// The names of the reasons joined by "+", or "not chosen" if there are none.
    public var description: String {
        let names: [(FeedPauseReasons, String)] = [
            (.hidden, "hidden"), (.background, "background"), (.user, "user"),
            (.waiting, "waiting"), (.ended, "ended"), (.failed, "failed"),
        ]
        return isEmpty ? "not chosen" : names.filter { contains($0.0) }.map(\.1).joined(separator: "+")
    }
}
