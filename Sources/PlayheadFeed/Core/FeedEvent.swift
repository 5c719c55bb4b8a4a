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
