public import Dispatch
public import Playhead

/// Plays the clips of a scrolling list: told where the cells are and how the list moves, it gives players to the cells
/// that shall play, makes the next ones ready, and takes players back.
///
///     let feed = FeedPlayer<Post.ID> { id in Asset(url: posts[id].url) }
///     feed.setViewport(FeedViewport(scrollView.bounds))
///     feed.setCells(posts.map { FeedCell($0.id, frame: $0.frame) })
///     feed.setLayer(cell.layer, for: post.id)       // where a cell shows its clip
///     feed.scroll(to: viewport, velocity: 900, .dragging)
///
/// Any thread; nothing blocks. What is told takes effect on the feed's queue, in order: `configuration.callbackQueue`,
/// or one of its own. Released, all its players go.
public final class FeedPlayer<ID: Hashable & Sendable>: Sendable {
    private let crew: FeedPlayerPool<ID>
    private var clock: SharedClock { crew.clock }
    /// Where everything is decided, and handlers run. Serial.
    public let callbackQueue: DispatchQueue

    /// `configuration`: of all its players, which share one clock. `posters`: where posters are kept. `budget`: what its
    /// players may use, together with its other members. `asset`: what to play for an identity; asked once for each clip that
    /// is wanted, on the feed's queue; nil: nothing.
    public init(
        settings: FeedSettings = FeedSettings(),
        configuration: Player.Configuration = Player.Configuration(),
        posters: PosterCache = .shared,
        budget: PlaybackBudget = .shared,
        asset: @escaping @Sendable (ID) -> Asset?
    ) {
        let queue = configuration.callbackQueue ?? DispatchQueue(label: "playhead.feed", target: .global())
        callbackQueue = queue
        let clock = SharedClock(configuration.clock, queue: queue)
        var own = configuration
        own.clock = clock.mode
        own.callbackQueue = queue
        crew = FeedPlayerPool(settings, own, clock, posters, budget, asset)
    }

    deinit { clock.enqueue { [crew] in crew.end() } }

    private func tell(_ event: FeedEvent<ID>) { clock.enqueue { [crew] in crew.tell(event) } }

    // MARK: Geometry

    /// All cells, in the order of the list: at the start, after a reload, an insertion, a removal, a new layout. Layers of
    /// cells that are gone show nothing more.
    public func setCells(_ cells: [FeedCell<ID>]) { tell(.cells(cells)) }
    /// The list shows this part and nobody scrolls: at the start, after a jump or a rotation.
    public func setViewport(_ viewport: FeedViewport) { tell(.viewport(viewport)) }
    /// Somebody scrolls. `velocity`: points a second, positive towards the end of the list; nil: not known.
    public func scroll(to viewport: FeedViewport, velocity: Double? = nil, _ phase: ScrollPhase) {
        tell(.scroll(viewport, velocity: velocity, phase))
    }
    /// Where a cell shows its clip; nil: nowhere. A layer that served another cell leaves it, and shows nothing of its
    /// clip any more.
    public func setLayer(_ layer: FeedLayer?, for id: ID) {
        clock.enqueue { [crew] in crew.setLayer(layer, for: id) }
    }

    // MARK: Intent

    /// False: the list is under another screen.
    public func setOnScreen(_ isOnScreen: Bool) { tell(.onScreen(isOnScreen)) }
    /// True: the program went to the background.
    public func setInBackground(_ isInBackground: Bool) { tell(.background(isInBackground)) }
    /// The user's own pause, which nothing but the user undoes.
    public func pause(_ id: ID) { tell(.userPause(id, true)) }
    /// The user wants it to go on. It plays when it is the chosen one.
    public func play(_ id: ID) { tell(.userPause(id, false)) }
    /// Silence for the whole feed; true by default. Where several play, the first of them is heard.
    public func setMuted(_ isMuted: Bool) { tell(.mute(isMuted)) }
    /// As the feed has it.
    public var isMuted: Bool { crew.published.withLock { $0.isMuted } }
    /// Changes how it decides, from now on.
    public func change(_ body: @escaping @Sendable (inout FeedSettings) -> Void) {
        clock.enqueue { [crew] in crew.change(body) }
    }

    // MARK: What is

    /// Who plays, who is ready, and why the others are not.
    public var plan: FeedPlan<ID> { crew.published.withLock { $0.plan } }
    /// The player that a clip has now; nil: none. It is the feed's: what is set on it lasts as long as the feed likes.
    public func player(for id: ID) -> Player? { crew.published.withLock { $0.players[id] }?.player }
    /// Its player was suspended: what else plays in the budget needs the room. It goes on by itself.
    public func isSuspended(_ id: ID) -> Bool {
        crew.published.withLock { $0.players[id] }?.isSuspended ?? false
    }
    /// Players that exist, with a clip or without; never more than `FeedSettings.poolSize`.
    public var playerCount: Int { crew.published.withLock { $0.playerCount } }
    /// Why a clip that is in the list could not be played.
    public func error(of id: ID) -> PlaybackError? { crew.published.withLock { $0.errors[id] } }

    /// Called on the feed's queue with each decision that changed something, behind the players' own setters.
    public func setChangeHandler(_ handler: (@Sendable (HostTime, [FeedChange<ID>]) -> Void)?) {
        crew.published.withLock { $0.onChange = handler }
    }

    /// Called on the feed's queue when a clip has been played to its end and does not repeat.
    public func setEndHandler(_ handler: (@Sendable (ID) -> Void)?) {
        crew.published.withLock { $0.onEnd = handler }
    }

    var now: HostTime { clock.now }

    /// Runs `body` on the feed's queue at a time of its clock; released, the token calls it off.
    func schedule(at time: HostTime, _ body: @escaping @Sendable () -> Void) -> ObservationToken {
        clock.schedule(at: time, body)
    }

    /// Cells that move along with the view.
    func setLayout(_ cells: [FeedCell<ID>], _ viewport: FeedViewport, _ phase: ScrollPhase) {
        tell(.layout(cells, viewport, phase))
    }

    func perform(_ body: @escaping @Sendable () -> Void) { clock.enqueue(body) }
}
