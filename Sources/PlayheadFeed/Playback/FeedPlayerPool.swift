import Foundation
import Playhead

/// The players of a feed and their assignment to clips. The pool applies the plans of the core.
///
/// `@unchecked Sendable`: all members except `published` are confined to the feed's queue.
final class FeedPlayerPool<ID: Hashable & Sendable>: @unchecked Sendable {
    /// The state that any thread may read.
    struct Published: Sendable {
        var plan = FeedPlan<ID>()
        var players: [ID: PlaybackBudget.Membership] = [:]
        var playerCount = 0
        var isMuted = true
        var errors: [ID: PlaybackError] = [:]
        var onChange: (@Sendable (HostTime, [FeedChange<ID>]) -> Void)?
        var onEnd: (@Sendable (ID) -> Void)?
    }

    let published = Locked(Published())
    let clock: SharedClock
    private(set) var core: FeedCore<ID>
    private let configuration: Player.Configuration
    private let makeAsset: @Sendable (ID) -> Asset?
    private let posters: PosterCache
    private let budget: PlaybackBudget
    private let performOnSinkLane: @Sendable (@escaping @Sendable () -> Void) -> Void
    private var slots: [FeedSlot<ID>] = []
    private let preloads: FeedPreloads<ID>
    private var layers: [ID: FeedLayer] = [:]
    /// One asset for each clip in the list that was requested. Items and posters share what opening it has loaded.
    private var assets: [ID: Asset] = [:]
    private var decisionTimer: ObservationToken?
    private var isClosed = false

    init(
        _ settings: FeedSettings,
        _ configuration: Player.Configuration,
        _ clock: SharedClock,
        _ posters: PosterCache,
        _ budget: PlaybackBudget,
        _ makeAsset: @escaping @Sendable (ID) -> Asset?
    ) {
        core = FeedCore(settings)
        self.clock = clock
        self.configuration = configuration
        self.posters = posters
        self.budget = budget
        self.makeAsset = makeAsset
        performOnSinkLane = clock.makeSinkLane()
        preloads = FeedPreloads(configuration, budget)
        preloads.setChangeHandler { [weak self, clock] change in
            clock.enqueue { [weak self] in self?.handlePreloaderChange(change) }
        }
    }

    // MARK: Events

    func handle(_ event: FeedEvent<ID>) {
        guard !isClosed else { return }
        core.handle(event, at: clock.now)
        switch event {
        case .cells(let cells), .layout(let cells, _, _): keepOnly(Set(cells.map(\.id)))
        default: break
        }
        applyPlan()
    }

    func change(_ body: (inout FeedSettings) -> Void) {
        body(&core.settings)
        handle(.time)
    }

    func setLayer(_ layer: FeedLayer?, for id: ID) {
        guard !isClosed else { return }
        if let old = layers[id], old !== layer {
            old.begin()
            layers[id] = nil
        }
        guard let layer, layers[id] !== layer else { return }
        // The layer was used by another clip until now.
        for other in layers.keys where layers[other] === layer { layers[other] = nil }
        layers[id] = layer
        let binding = layer.begin()
        if let slot = slot(of: id) { layer.attach(slot.player) }
        requestPoster(of: id, layer, binding)
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        decisionTimer = nil
        preloads.close()
        for slot in slots { slot.close() }
        for layer in layers.values { layer.begin() }
        slots = []
        layers = [:]
        assets = [:]
        published.withLock { $0 = Published() }
    }

    private func keepOnly(_ ids: Set<ID>) {
        for id in layers.keys where !ids.contains(id) {
            layers[id]?.begin()
            layers[id] = nil
        }
        assets = assets.filter { ids.contains($0.key) }
        published.withLock { $0.errors = $0.errors.filter { ids.contains($0.key) } }
    }

    private func asset(of id: ID) -> Asset? {
        if let asset = assets[id] { return asset }
        guard let asset = makeAsset(id) else { return nil }
        assets[id] = asset
        return asset
    }

    private func requestPoster(of id: ID, _ layer: FeedLayer, _ binding: UInt64) {
        guard let shape = layer.posterShape, let asset = asset(of: id) else { return }
        let show: @Sendable (VideoFrame) -> Void = { [performOnSinkLane, weak layer] frame in
            performOnSinkLane { [weak layer] in layer?.show(frame, for: binding) }
        }
        if let known = posters.poster(of: asset, shape) { return show(known) }
        let request = posters.makePoster(of: asset, shape, clock: clock.mode) { [weak layer] frame in
            if let frame { show(frame) }
            layer?.retain(nil, for: binding)
        }
        layer.retain(request, for: binding)
    }

    // MARK: Applying plans

    private func slot(of id: ID) -> FeedSlot<ID>? { slots.first { $0.id == id } }

    private func applyPlan() {
        let (plan, changes) = (core.plan, core.changes)
        // Pauses and releases come first, so that two clips are never heard and the pool is never exceeded.
        for slot in slots {
            guard let id = slot.id else { continue }
            let entry = plan.entry(of: id)
            if entry?.shouldPlay != true { slot.pause() }
            if plan.audible != id { slot.player.isMuted = true }
            guard let entry else {
                release(slot, id)
                continue
            }
            if entry.role == .held, core.settings.offscreenBehavior == .pauseAndRewind { slot.rewind() }
        }
        while slots.count > core.settings.poolSize, let index = slots.firstIndex(where: { $0.id == nil }) {
            slots.remove(at: index).close()
        }
        var failed: [ID] = []
        var requests: [FeedPreloads<ID>.Request] = []
        var rank = 0
        for entry in plan.entries {
            if entry.role == .ready { rank += 1 }
            if slot(of: entry.id) == nil, entry.role != .held {
                guard let asset = asset(of: entry.id) else {
                    failed.append(entry.id)
                    continue
                }
                let isDue = entry.role == .chosen || preloads.isReady(entry.id)
                if !isDue || !assign(entry.id, asset) {
                    let start = core.startTime(of: entry.id)
                    requests.append(.init(id: entry.id, asset: asset, rank: rank - 1, start: start))
                }
            }
            guard let slot = slot(of: entry.id) else { continue }
            let ahead = plan.isPreloadingSuspended ? 0 : FeedPreloads<ID>.Request.secondsAhead(rank - 1)
            slot.membership.priority = Self.priority(entry.role, rank: rank)
            slot.setLoading(entry.role == .ready ? .first(seconds: ahead) : .all)
            if plan.audible == entry.id { slot.player.isMuted = false }
            if entry.shouldPlay { slot.play(loops: core.settings.loops) }
        }
        preloads.update(
            requests,
            isSuspended: plan.isPreloadingSuspended,
            oneByOne: core.settings.preparesOneByOne
        )
        decisionTimer = plan.nextDecision.map { time in
            clock.schedule(at: time) { [weak self] in self?.handle(.time) }
        }
        publish(plan, changes)
        for id in failed { handle(.failed(id)) }
    }

    /// Returns the priority of a player in the budget, apart from the priority of playing players.
    private static func priority(_ role: FeedPlan<ID>.Role, rank: Int) -> Double {
        switch role {
        case .chosen: 0
        case .ready: -Double(rank)
        case .held: -1000
        }
    }

    private func publish(_ plan: FeedPlan<ID>, _ changes: [FeedChange<ID>]) {
        let players = slots.compactMap { slot in slot.id.map { ($0, slot.membership) } }
        let count = slots.count
        let isMuted = core.isMuted
        let handler = published.withLock { published in
            published.plan = plan
            published.players = Dictionary(players) { first, _ in first }
            published.playerCount = count
            published.isMuted = isMuted
            return published.onChange
        }
        if !changes.isEmpty { handler?(clock.now, changes) }
    }

    private func release(_ slot: FeedSlot<ID>, _ id: ID) {
        if let position = slot.resumePosition {
            core.keepPosition(of: id, at: position.time, duration: position.duration)
        }
        layers[id]?.attach(nil)
        slot.clear()
        preloads.playerReleased(id)
    }

    /// Loads a clip into a player. Returns false if no player is free.
    private func assign(_ id: ID, _ asset: Asset) -> Bool {
        let free = slots.first { $0.id == nil }
        guard free != nil || slots.count < core.settings.poolSize else { return false }
        let slot = free ?? makeSlot()
        preloads.transfer(id)
        slot.load(id, asset, at: core.startTime(of: id), loops: core.settings.loops)
        layers[id]?.attach(slot.player)
        return true
    }

    private func makeSlot() -> FeedSlot<ID> {
        let slot = FeedSlot<ID>(Player(configuration: configuration), budget)
        slot.token = slot.player.onEvent { [weak self, weak slot] timed in
            guard let self, let slot else { return }
            // Events of an earlier item of this player are ignored.
            guard let id = slot.id, let item = slot.item, timed.item === item else { return }
            handlePlayerEvent(timed.event, of: id, item, slot)
        }
        slots.append(slot)
        return slot
    }

    // MARK: Players and preloader

    private func handlePreloaderChange(_ change: Preloader.Change) {
        // The clip may have been given a player, or have been removed, in the meantime.
        guard !isClosed, let id = preloads.id(of: change.asset) else { return }
        switch change.status {
        case .ready: handle(.time)
        case .failed(let error):
            published.withLock { $0.errors[id] = error }
            handle(.failed(id))
        default: break
        }
    }

    private func handlePlayerEvent(_ event: PlayerEvent, of id: ID, _ item: PlayerItem, _ slot: FeedSlot<ID>)
    {
        switch event {
        case .timeControlStatusChanged(.playing, _):
            handle(.started(id))
            handle(.waiting(id, false))
            reportBuffer(id, item)
        case .timeControlStatusChanged(.waitingToPlayAtSpecifiedRate, _): handle(.waiting(id, true))
        case .loadedTimeRangesChanged(item, _), .playbackBufferFullChanged(item, _): reportBuffer(id, item)
        case .didPlayToEndTime(item) where !core.settings.loops:
            handle(.ended(id))
            published.withLock { $0.onEnd }?(id)
        case .itemStatusChanged(item, .failed), .passEnded(item, .failed):
            let error = item.error
            published.withLock { $0.errors[id] = error }
            handle(.failed(id))
        default: break
        }
    }

    private func reportBuffer(_ id: ID, _ item: PlayerItem) {
        guard core.plan.entry(of: id)?.role == .chosen else { return }
        let end = item.loadedTimeRanges.last?.end.seconds ?? 0
        let isWhole = item.duration.isNumeric && end >= item.duration.seconds - 0.1
        // Local files do not compete for network bandwidth.
        let isLocal = item.asset.media?.isLocal ?? false
        handle(
            .buffered(
                id,
                seconds: max(0, end - item.currentTime().seconds),
                isFull: isLocal || isWhole || item.isPlaybackBufferFull
            )
        )
    }
}
