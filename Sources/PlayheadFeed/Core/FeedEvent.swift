/// How a list is being moved.
public enum ScrollPhase: Hashable, Sendable {
    /// By a finger.
    case dragging
    /// By itself, slower and slower.
    case decelerating
    /// It stands: dragging ended without a swing, or the swing is over.
    case settled
}

/// What a feed is told.
public enum FeedEvent<ID: Hashable & Sendable>: Sendable {
    /// All cells of the list, in order: at the start, and after a reload, an insertion, a removal or a new layout.
    case cells([FeedCell<ID>])
    /// The list shows another part, or has another size, and nobody scrolls: at the start, after a jump, a rotation.
    case viewport(FeedViewport)
    /// It scrolls. Points a second, positive towards the end of the list; nil: not known, which counts as fast.
    case scroll(FeedViewport, velocity: Double?, ScrollPhase)
    /// Both at once, where cells move along: an endless banner.
    case layout([FeedCell<ID>], FeedViewport, ScrollPhase)
    /// Whether the list is seen at all: not under another screen, nor behind a switched tab.
    case onScreen(Bool)
    /// The program went to the background, or came back.
    case background(Bool)
    /// The user paused a clip, or (false) wants it to play.
    case userPause(ID, Bool)
    /// Silence for the whole feed.
    case mute(Bool)
    /// A clip shows its first frame and its time runs.
    case started(ID)
    /// Its data ran out (true), or is there again.
    case waiting(ID, Bool)
    /// So many seconds are at hand ahead of what plays. `isFull`: nothing more is read for now, or all is there.
    case buffered(ID, seconds: Double, isFull: Bool)
    /// It was played to its end, and does not repeat.
    case ended(ID)
    /// It cannot be played.
    case failed(ID)
    /// Nothing happened, and time passed: at `FeedPlan.nextDecision`.
    case time
}

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
