public import Playhead

/// A player for an endless carousel: it plays the clip of the current page, preloads the next pages, and advances when
/// a clip ends or the display time of a picture has passed. A page whose clip cannot be played is shown for half a second.
///
/// All members can be used from any thread, and none blocks.
public final class CarouselPlayer: Sendable {
    private struct State {
        var core: CarouselCore
        var turnTimer: ObservationToken?
        var onTurn: (@Sendable (Double) -> Void)?
        var onIndex: (@Sendable (Int) -> Void)?
        /// The index that `onIndex` has been called with last.
        var reportedIndex = 0
    }

    /// The feed that plays the pages. Its cells are identified by page index; assign layers to them with
    /// `FeedPlayer.setLayer(_:for:)`, and posters with `FeedPlayer.setPosterHandler(_:)`.
    public let feed: FeedPlayer<Int>
    private let state: Locked<State>

    /// Creates a carousel that shows the first page. The clip of a single page repeats.
    ///
    /// - Parameters:
    ///   - pages: The kind of each page, in order.
    ///   - settings: The settings of the feed, for example `offscreenBehavior`. The carousel determines `wraps`, `loops`
    ///     and `settlingTime`.
    ///   - configuration: The configuration of the players.
    ///   - posters: The cache that posters are stored in.
    ///   - budget: The budget that the players share with its other members.
    ///   - asset: A closure that returns the asset of a page, or nil if there is none. It is called on the feed's
    ///     queue.
    public init(
        pages: [FeedKind],
        settings: FeedSettings = FeedSettings(),
        configuration: Player.Configuration = Player.Configuration(),
        posters: PosterCache = .shared,
        budget: PlaybackBudget = .shared,
        asset: @escaping @Sendable (Int) -> Asset?
    ) {
        var settings = settings
        settings.wraps = true
        settings.loops = pages.count < 2
        settings.settlingTime = .zero
        feed = FeedPlayer(
            settings: settings,
            configuration: configuration,
            posters: posters,
            budget: budget,
            asset: asset
        )
        let core = CarouselCore(pages)
        state = Locked(State(core: core))
        feed.setHandlers { [weak self] page in
            guard let self, state.withLock({ $0.core.hasFailed(page) }) else { return }
            change { $0.retry(page) }
        } finished: { [weak self] page, error in
            guard let self else { return }
            if error != nil { return change { $0.fail(page) } }
            advance { core, _ in core.turn(afterEndOf: page) }
        }
        feed.setVisibilityHandlers { [weak self] isOnScreen in
            guard let self else { return }
            let now = feed.now
            change { $0.setOnScreen(isOnScreen, at: now) }
        } background: { [weak self] isInBackground in
            guard let self else { return }
            let now = feed.now
            change { $0.setInBackground(isInBackground, at: now) }
        }
        feed.setViewport(core.viewport)
        feed.setCells(core.cells)
        feed.perform { [weak self] in
            guard let self else { return }
            let now = feed.now
            // The user may have begun to drag.
            change { $0.move(to: $0.position, isDragging: $0.isDragging, at: now) }
        }
    }

    /// The index of the page that is most visible, for a page indicator.
    public var index: Int { state.withLock { $0.core.index } }
    /// The position in pages. It is unbounded: with three pages, position 4 shows page 1.
    public var position: Double { state.withLock { $0.core.position } }

    /// Moves the carousel while the user drags it. The carousel does not advance by itself meanwhile.
    ///
    /// - Parameter position: The position in pages.
    public func drag(to position: Double) { show(position, isDragging: true) }
    /// Brings the carousel to rest at a page, after the user has lifted the finger or on behalf of the application.
    ///
    /// - Parameter position: The position in pages, which is rounded.
    public func settle(at position: Double) { show(position.rounded(), isDragging: false) }
    /// Moves to the nearest occurrence of a page. Nothing happens if that page is already shown, so its clip continues
    /// to play.
    ///
    /// - Parameter page: The index of the page.
    public func jump(to page: Int) {
        let now = feed.now
        guard page != index || position != position.rounded() else { return }
        change { $0.jump(to: page, at: now) }
    }
    /// Sets whether the carousel is on screen. While it is not, it does not advance.
    ///
    /// - Parameter isOnScreen: False while another screen covers the carousel.
    public func setOnScreen(_ isOnScreen: Bool) { feed.setOnScreen(isOnScreen) }

    /// Sets whether the application is in the background. While it is, nothing plays and the carousel does not advance.
    ///
    /// - Parameter isInBackground: True while the application is in the background.
    public func setInBackground(_ isInBackground: Bool) { feed.setInBackground(isInBackground) }
    /// Mutes or unmutes the carousel, which is muted by default.
    ///
    /// - Parameter isMuted: Whether the carousel is muted.
    public func setMuted(_ isMuted: Bool) { feed.setMuted(isMuted) }
    /// Whether the carousel is muted.
    public var isMuted: Bool { feed.isMuted }

    /// Replaces the pages. The page that is shown stays in view if there are still enough pages. A drag continues until
    /// `settle(at:)` is called.
    ///
    /// - Parameters:
    ///   - pages: The kind of each page, in order.
    ///   - reloading: The indices of the pages that have other clips than before, or nil for all. The asset closure is
    ///     called again for these. The other pages keep their players.
    public func setPages(_ pages: [FeedKind], reloading: Set<Int>? = nil) {
        let now = feed.now
        let reloaded = pages.indices.filter { reloading?.contains($0) ?? true }
        change { core in
            core.setPages(pages, at: now)
            for page in reloaded { core.retry(page) }
        }
        // As in `change`, the newest pages decide, which another thread may have set.
        feed.change { [weak self] settings in
            if let self { settings.loops = state.withLock { $0.core.pages.count < 2 } }
        }
        for page in reloaded { feed.reload(page) }
    }

    /// Sets a handler that is called with the new value when `index` has changed, for a page indicator.
    ///
    /// - Parameter handler: A closure that is called on the feed's queue, or nil.
    public func setIndexHandler(_ handler: (@Sendable (Int) -> Void)?) {
        state.set(\.onIndex, to: handler)
    }

    /// Sets a handler that is called with the new position when the carousel has advanced by itself, for an animation.
    ///
    /// - Parameter handler: A closure that is called on the feed's queue, or nil.
    public func setTurnHandler(_ handler: (@Sendable (Double) -> Void)?) {
        state.set(\.onTurn, to: handler)
    }

    private func show(_ position: Double, isDragging: Bool) {
        let now = feed.now
        change { $0.move(to: position, isDragging: isDragging, at: now) }
    }

    /// Moves to the position that `next` returns, if any. Both are one step, so a drag that begins meanwhile is not ended.
    private func advance(_ next: (inout CarouselCore, HostTime) -> Double?) {
        let now = feed.now
        var position: Double?
        change { core in
            position = next(&core, now)
            if let position { core.move(to: position, isDragging: false, at: now) }
        }
        if let position { state.withLock { $0.onTurn }?(position) }
    }

    private func change(_ body: (inout CarouselCore) -> Void) {
        state.withLock { body(&$0.core) }
        // Each change applies the state that is then the newest one, so the last one to be applied is never outdated.
        feed.perform { [weak self] in self?.apply() }
    }

    /// Applies the state to the feed, the timer and the index handler. It runs on the feed's queue.
    private func apply() {
        let (core, onIndex) = state.withLock { state in
            let core = state.core
            defer { state.reportedIndex = core.index }
            return (core, core.index == state.reportedIndex ? nil : state.onIndex)
        }
        // The cells move with the view, but their identities stay the same, so each page keeps its player.
        feed.apply(.layout(core.cells, core.viewport, core.isDragging ? .dragging : .settled))
        let turnTimer = core.nextTurn.map { time in
            feed.schedule(at: time) { [weak self] in self?.advance { core, now in core.turn(at: now) } }
        }
        state.withLock { $0.turnTimer = turnTimer }
        onIndex?(core.index)
    }
}
