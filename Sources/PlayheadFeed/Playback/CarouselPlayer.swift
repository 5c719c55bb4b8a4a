public import Playhead

/// Plays an endless banner: the clip of the page that is shown, the next pages made ready, and on to the next page when a
/// clip ends or a picture's time is over. Any thread; nothing blocks.
public final class CarouselPlayer: Sendable {
    private struct State {
        var core: CarouselCore
        var alarm: ObservationToken?
        var onTurn: (@Sendable (Double) -> Void)?
    }

    /// The players behind it. Its cells are the pages, by their numbers; layers are set there.
    public let feed: FeedPlayer<Int>
    private let state: Locked<State>

    /// `asset`: the clip or the picture of a page, 0 the first. A single page plays over and over. `budget`: what its players
    /// may use, together with its other members.
    public init(
        pages: [FeedKind],
        configuration: Player.Configuration = Player.Configuration(),
        posters: PosterCache = .shared,
        budget: PlaybackBudget = .shared,
        asset: @escaping @Sendable (Int) -> Asset?
    ) {
        var settings = FeedSettings()
        settings.wraps = true
        settings.loops = pages.count < 2
        settings.settlingTime = 0
        feed = FeedPlayer(
            settings: settings,
            configuration: configuration,
            posters: posters,
            budget: budget,
            asset: asset
        )
        let core = CarouselCore(pages)
        state = Locked(State(core: core))
        feed.setViewport(core.viewport)
        feed.setCells(core.cells)
        feed.setEndHandler { [weak self] page in
            guard let self, let next = state.withLock({ $0.core.turn(afterEndOf: page) }) else { return }
            turn(to: next)
        }
        feed.perform { [weak self] in
            guard let self else { return }
            let (now, position) = (feed.now, position)
            change { $0.move(to: position, isTouched: false, at: now) }
        }
    }

    /// The page that is shown most of, for an indicator.
    public var index: Int { state.withLock { $0.core.index } }
    /// In pages, without end: with three of them 4 shows page 1.
    public var position: Double { state.withLock { $0.core.position } }

    /// A finger moves it; it does not turn by itself meanwhile.
    public func drag(to position: Double) { show(position, isTouched: true) }
    /// It stands at a page, by a finger's end or by the program.
    public func settle(at position: Double) { show(position.rounded(), isTouched: false) }
    /// Where that page is shown already nothing happens: its clip plays on.
    public func jump(to page: Int) {
        let now = feed.now
        guard page != index || position != position.rounded() else { return }
        change { $0.jump(to: page, at: now) }
    }
    /// False: it is under another screen, and does not turn.
    public func setOnScreen(_ isOnScreen: Bool) {
        let now = feed.now
        feed.setOnScreen(isOnScreen)
        change { $0.setOnScreen(isOnScreen, at: now) }
    }

    /// Called on the feed's queue when it has turned by itself, with the new position: for an animation, and for an
    /// indicator.
    public func setTurnHandler(_ handler: (@Sendable (Double) -> Void)?) {
        state.withLock { $0.onTurn = handler }
    }

    private func show(_ position: Double, isTouched: Bool) {
        let now = feed.now
        change { $0.move(to: position, isTouched: isTouched, at: now) }
    }

    private func turn(to position: Double) {
        show(position, isTouched: false)
        state.withLock { $0.onTurn }?(position)
    }

    private func change(_ body: (inout CarouselCore) -> Void) {
        let core = state.withLock { state in
            body(&state.core)
            return state.core
        }
        // Pages go where they are nearest; who plays keeps its identity, and so its player.
        feed.setLayout(core.cells, core.viewport, core.isTouched ? .dragging : .settled)
        let alarm = core.nextTurn.map { time in
            feed.schedule(at: time) { [weak self] in
                guard let self else { return }
                let now = feed.now
                if let next = state.withLock({ $0.core.turn(at: now) }) { turn(to: next) }
            }
        }
        state.withLock { $0.alarm = alarm }
    }
}
