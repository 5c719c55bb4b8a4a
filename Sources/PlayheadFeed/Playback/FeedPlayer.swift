public import Dispatch
public import Playhead

/// A player for the clips of a scrolling list.
///
/// The application reports the cells and how the list moves. The feed assigns players to the cells that are to play,
/// preloads the next ones, and reclaims players.
///
///     let feed = FeedPlayer<Post.ID> { id in Asset(url: posts[id].url) }
///     feed.setViewport(FeedViewport(scrollView.bounds))
///     feed.setCells(posts.map { FeedCell($0.id, frame: $0.frame) })
///     feed.setLayer(cell.layer, for: post.id)  // the layer in which a cell shows its clip
///     feed.scroll(to: viewport, velocity: 900, .dragging)
///
/// All members can be used from any thread, and none blocks. Calls take effect in order on `callbackQueue`. Releasing
/// the feed releases all its players.
public final class FeedPlayer<ID: Hashable & Sendable>: Sendable {
    private let pool: FeedPlayerPool<ID>
    private var clock: SharedClock { pool.clock }
    /// The serial queue on which the feed decides and calls handlers: `Player.Configuration.callbackQueue`, or a queue
    /// of the feed.
    public let callbackQueue: DispatchQueue
    /// The handlers of a carousel for the visibility of its feed.
    private let visibility = Locked<VisibilityHandlers?>(nil)

    /// Closures in a struct, because a bare closure in a generic container is wrapped again on each access.
    private struct VisibilityHandlers {
        let onScreen: @Sendable (Bool) -> Void
        let background: @Sendable (Bool) -> Void
    }

    /// Creates a feed without cells.
    ///
    /// - Parameters:
    ///   - settings: The settings of the feed.
    ///   - configuration: The configuration of all players, which share one clock.
    ///   - posters: The cache that posters are stored in.
    ///   - budget: The budget that the players share with its other members.
    ///   - asset: A closure that returns the asset of a clip, or nil if there is none. It is called on the feed's queue
    ///     when a clip is needed. The feed keeps the assets of visible and planned clips and of up to 64 others.
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
        var feedConfiguration = configuration
        feedConfiguration.clock = clock.mode
        feedConfiguration.callbackQueue = queue
        pool = FeedPlayerPool(settings, feedConfiguration, clock, posters, budget, asset)
    }

    deinit { clock.enqueue { [pool] in pool.close() } }

    private func send(_ event: FeedEvent<ID>) { clock.enqueue { [pool] in pool.handle(event) } }

    // MARK: Geometry

    /// Sets all cells, in list order. Call it at the start and after each reload, insertion, removal or layout change.
    ///
    /// The layers of cells that are no longer in the list receive nothing more.
    ///
    /// - Parameter cells: All cells of the list.
    public func setCells(_ cells: [FeedCell<ID>]) { send(.cells(cells)) }
    /// Sets the viewport without scrolling: at the start or after a jump.
    ///
    /// - Parameter viewport: The visible part of the list.
    public func setViewport(_ viewport: FeedViewport) { send(.viewport(viewport)) }
    /// Sets all cells and the viewport in one step, without scrolling: after an insertion above the viewport or a
    /// rotation. A clip that is visible before and after continues to play.
    ///
    /// - Parameters:
    ///   - cells: All cells of the list, in list order.
    ///   - viewport: The visible part of the list.
    public func setLayout(_ cells: [FeedCell<ID>], viewport: FeedViewport) {
        send(.layout(cells, viewport, nil))
    }
    /// Reports a scroll step.
    ///
    /// - Parameters:
    ///   - viewport: The visible part of the list.
    ///   - velocity: The velocity in points per second, positive towards the end of the list, or nil if it is unknown.
    ///   - phase: The phase of the scroll gesture.
    public func scroll(to viewport: FeedViewport, velocity: Double? = nil, _ phase: ScrollPhase) {
        send(.scroll(viewport, velocity: velocity, phase))
    }
    /// Sets the layer in which a cell shows its clip.
    ///
    /// A layer that was used by another cell, of this or of another feed, is removed from it. When the call returns, its
    /// sinks receive nothing more of that cell's clip.
    ///
    /// - Parameters:
    ///   - layer: The layer, or nil if the cell has none.
    ///   - id: The identity of the cell.
    public func setLayer(_ layer: FeedLayer?, for id: ID) {
        pool.bind(layer, to: id)
        clock.enqueue { [pool] in pool.applyBinding(of: id) }
    }

    // MARK: Playback control

    /// Sets whether the list is on screen.
    ///
    /// - Parameter isOnScreen: False while another screen covers the list.
    public func setOnScreen(_ isOnScreen: Bool) {
        send(.onScreen(isOnScreen))
        visibility.withLock { $0 }?.onScreen(isOnScreen)
    }
    /// Sets whether the application is in the background.
    ///
    /// - Parameter isInBackground: True while the application is in the background.
    public func setInBackground(_ isInBackground: Bool) {
        send(.background(isInBackground))
        visibility.withLock { $0 }?.background(isInBackground)
    }
    /// Pauses a clip on behalf of the user, also before its cell is listed. Only `play(_:)` ends this pause.
    ///
    /// - Parameter id: The identity of the clip.
    public func pause(_ id: ID) { send(.userPause(id, true)) }
    /// Ends the user's pause. The clip plays if it is the chosen one.
    ///
    /// - Parameter id: The identity of the clip.
    public func play(_ id: ID) { send(.userPause(id, false)) }
    /// Tries a clip again that has failed, for example when the network is available again. A clip that has ended plays
    /// from its start.
    ///
    /// - Parameter id: The identity of the clip.
    public func retry(_ id: ID) { clock.enqueue { [pool] in pool.retry(id) } }
    /// Replaces the asset of a clip: the closure that was passed to the initializer is called again when the clip is
    /// needed. The clip starts from zero, with a new poster.
    ///
    /// - Parameter id: The identity of the clip.
    public func reload(_ id: ID) { clock.enqueue { [pool] in pool.reload(id) } }
    /// Mutes or unmutes the whole feed, which is muted by default. If several clips play, only the first is heard.
    ///
    /// - Parameter isMuted: Whether the feed is muted.
    public func setMuted(_ isMuted: Bool) { send(.mute(isMuted)) }
    /// A Boolean value that indicates whether the whole feed is muted.
    public var isMuted: Bool { pool.published.withLock { $0.isMuted } }
    /// Changes the settings and decides again.
    ///
    /// - Parameter body: A closure that changes the settings. It is called on the feed's queue.
    public func change(_ body: @escaping @Sendable (inout FeedSettings) -> Void) {
        clock.enqueue { [pool] in pool.change(body) }
    }

    // MARK: State

    /// The current plan: the clips that play, the clips that are preloaded, and why chosen clips are paused.
    public var plan: FeedPlan<ID> { pool.published.withLock { $0.plan } }
    /// Returns the current player of a clip. The feed owns the player and may change its properties at any time.
    ///
    /// - Parameter id: The identity of the clip.
    /// - Returns: The player, or nil if the clip has none.
    public func player(for id: ID) -> Player? { pool.published.withLock { $0.players[id] }?.player }
    /// Returns whether the player of a clip is suspended because other players of the budget need its resources. It
    /// resumes by itself.
    ///
    /// - Parameter id: The identity of the clip.
    /// - Returns: Whether the player is suspended.
    public func isSuspended(_ id: ID) -> Bool {
        pool.published.withLock { $0.players[id] }?.isSuspended ?? false
    }
    /// The number of players that exist, with or without a clip. It never exceeds `FeedSettings.poolSize`.
    public var playerCount: Int { pool.published.withLock { $0.playerCount } }
    /// Returns the error that prevents a clip in the list from playing.
    ///
    /// - Parameter id: The identity of the clip.
    /// - Returns: The error, or nil.
    public func error(of id: ID) -> PlaybackError? { pool.published.withLock { $0.errors[id] } }

    /// Sets a handler that is called with the changes of each decision, after they have been applied to the players.
    ///
    /// - Parameter handler: A closure that is called on the feed's queue, or nil.
    public func setChangeHandler(_ handler: (@Sendable (HostTime, [FeedChange<ID>]) -> Void)?) {
        pool.published.set(\.onChange, to: handler)
    }

    /// Sets a handler that is called when a clip has played to its end and does not repeat.
    ///
    /// - Parameter handler: A closure that is called on the feed's queue, or nil.
    public func setEndHandler(_ handler: (@Sendable (ID) -> Void)?) {
        pool.published.set(\.onEnd, to: handler)
    }

    /// Sets a handler that is called when a clip cannot be played, also if it fails in the middle or while it is
    /// preloaded.
    ///
    /// - Parameter handler: A closure that is called on the feed's queue, or nil.
    public func setFailureHandler(_ handler: (@Sendable (ID, PlaybackError) -> Void)?) {
        pool.published.set(\.onFailure, to: handler)
    }

    /// Sets a handler that chooses the posters of clips, for example thumbnails of a server. Without a handler, posters
    /// are the first frames of the clips.
    ///
    /// The handler is called whenever a layer needs a poster, and may be called several times for a clip. Posters that
    /// are shown are replaced. To replace them again later, call this method again; to replace the poster of one clip, call
    /// `reload(_:)`.
    ///
    /// - Parameter handler: A closure that is called on the feed's queue and returns the poster of a clip, or nil.
    public func setPosterHandler(_ handler: (@Sendable (ID) -> FeedPoster)?) {
        pool.published.set(\.onPoster, to: handler)
        clock.enqueue { [pool] in pool.remakePosters() }
    }

    /// Sets the handlers of the carousel that owns this feed.
    func setHandlers(
        started: @escaping @Sendable (ID) -> Void,
        finished: @escaping @Sendable (ID, PlaybackError?) -> Void
    ) {
        pool.published.withLock { ($0.onStart, $0.onFinish) = (started, finished) }
    }

    /// Sets the closures that are called when the visibility of the feed is set, for the carousel that owns this feed.
    func setVisibilityHandlers(
        onScreen: @escaping @Sendable (Bool) -> Void,
        background: @escaping @Sendable (Bool) -> Void
    ) {
        visibility.withLock { $0 = VisibilityHandlers(onScreen: onScreen, background: background) }
    }

    var now: HostTime { clock.now }

    /// Runs `body` on the feed's queue at a time of its clock. Releasing the token cancels it.
    func schedule(at time: HostTime, _ body: @escaping @Sendable () -> Void) -> ObservationToken {
        clock.schedule(at: time, body)
    }

    /// Handles an event at once. Call it on the feed's queue.
    func apply(_ event: FeedEvent<ID>) { pool.handle(event) }

    /// Runs `body` on the feed's queue.
    func perform(_ body: @escaping @Sendable () -> Void) { clock.enqueue(body) }
}
