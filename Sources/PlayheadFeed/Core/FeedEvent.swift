/// An event that a feed reacts to.
public enum FeedEvent<ID: Hashable & Sendable>: Sendable {
    /// All cells of the list, in order. Send it at the start and after each reload, insertion, removal or layout
    /// change.
    case cells([FeedCell<ID>])
    /// A new viewport without scrolling: at the start, after a jump or after a rotation.
    case viewport(FeedViewport)
    /// A scroll step. The velocity is in points per second and is positive towards the end of the list; nil means
    /// unknown and counts as fast.
    case scroll(FeedViewport, velocity: Double?, ScrollPhase)
    /// New cells and a new viewport at once: after an insertion above the viewport or a rotation. The scroll phase is
    /// nil unless the cells move together with the view, as in an endless carousel.
    case layout([FeedCell<ID>], FeedViewport, ScrollPhase?)
    /// Whether the list is on screen, that is, not covered by another screen and not in a hidden tab.
    case onScreen(Bool)
    /// Whether the application is in the background.
    case background(Bool)
    /// Whether the user has paused a clip. False ends that pause.
    case userPause(ID, Bool)
    /// Whether the whole feed is muted.
    case mute(Bool)
    /// A clip has shown its first frame and its time advances.
    case started(ID)
    /// Whether a clip is waiting for data.
    case waiting(ID, Bool)
    /// The seconds of media that a clip has buffered after its current time. `isFull` is true if nothing more is read
    /// at present, or if the clip is buffered to its end.
    case buffered(ID, seconds: Double, isFull: Bool)
    /// A clip has played to its end and does not repeat.
    case ended(ID)
    /// A clip cannot be played.
    case failed(ID)
    /// A clip that has failed or ended is to be tried again.
    case retry(ID)
    /// The time has advanced without any other event. Send it at `FeedPlan.nextDecision`.
    case time
}
