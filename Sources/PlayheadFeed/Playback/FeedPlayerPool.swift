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
        var onFailure: (@Sendable (ID, PlaybackError) -> Void)?
        /// The handler of the carousel that owns the feed. It is called when a clip has ended or failed.
        var onFinish: (@Sendable (ID, PlaybackError?) -> Void)?
        /// The handler of the carousel that is called when a clip plays.
        var onStart: (@Sendable (ID) -> Void)?
        var onPoster: (@Sendable (ID) -> FeedPoster)?
        /// The layers as of the last call of `bind`, which may not have been applied yet.
        var bindings: [ID: LayerBinding] = [:]
        /// The number of calls of `bind` that have not been applied yet.
        var pendingBindings: [ID: Int] = [:]
    }

    let published = Locked(Published())
    let clock: SharedClock
    private(set) var core: FeedCore<ID>
    let configuration: Player.Configuration
    private let makeAsset: @Sendable (ID) -> Asset?
    let posters: PosterCache
    private let budget: PlaybackBudget
    private var slots: [FeedSlot<ID>] = []
    private let preloads: FeedPreloads<ID>
    var layers: [ID: LayerBinding] = [:]
    /// The clips whose posters are made once the playing clips no longer need the network.
    var deferredPosters: Set<ID> = []
    /// The assets of clips in the list that were requested, with the number of the last use. Items and posters share
    /// what opening them has loaded.
    private var assets: [ID: (asset: Asset, use: UInt64)] = [:]
    private var useCount: UInt64 = 0
    /// The number of assets that are kept for clips that are neither visible nor planned.
    private let assetLimit = 64
    /// The clips that are being reported as failed because there is no asset for them.
    private var clipsWithoutAssets: [ID] = []
    private var decisionTimer: ObservationToken?
    private(set) var isClosed = false

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
        if case .userPause(let id, false) = event, core.plan.entry(of: id)?.shouldPlay == true {
            slot(of: id)?.play(forUser: true)
        }
    }

    func change(_ body: (inout FeedSettings) -> Void) {
        body(&core.settings)
        handle(.time)
    }

    /// Discards the asset of a clip and everything that was made of it. The clip gets a new one.
    func reload(_ id: ID) {
        guard !isClosed else { return }
        preloads.cancel(id)
        assets[id] = nil
        published.withLock { $0.errors[id] = nil }
        if let slot = slot(of: id) { release(slot, id) }
        core.keepPosition(of: id, at: 0, duration: nil)
        rebind(id)
        handle(.retry(id))
    }

    /// Tries a clip again that has failed or ended.
    func retry(_ id: ID) {
        published.withLock { $0.errors[id] = nil }
        handle(.retry(id))
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        decisionTimer = nil
        preloads.close()
        for slot in slots { slot.close() }
        unbindAllLayers()
        slots = []
        assets = [:]
        deferredPosters = []
        published.withLock { $0 = Published() }
    }

    private func keepOnly(_ ids: Set<ID>) {
        unbindLayers(notIn: ids)
        deferredPosters.formIntersection(ids)
        assets = assets.filter { ids.contains($0.key) }
        published.withLock { $0.errors = $0.errors.filter { ids.contains($0.key) } }
    }

    func asset(of id: ID) -> Asset? {
        guard let asset = assets[id]?.asset ?? makeAsset(id) else { return nil }
        asset.setDefaultNetworkOptions(configuration.network)
        useCount += 1
        assets[id] = (asset, useCount)
        return asset
    }

    /// Releases the assets that were not used for the longest time.
    private func dropAssets() {
        guard assets.count > assetLimit + layers.count + core.settings.poolSize else { return }
        let planned = Set(core.plan.entries.map(\.id))
        let unused = assets.filter { !planned.contains($0.key) && layers[$0.key] == nil }
            .sorted { $0.value.use < $1.value.use }
        for (id, _) in unused.dropLast(assetLimit) { assets[id] = nil }
    }

    // MARK: Applying plans

    func slot(of id: ID) -> FeedSlot<ID>? { slots.first { $0.id == id } }

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
            guard entry.role != .chosen, slot.progress == .played else { continue }
            slot.progress = .left
            if core.settings.offscreenBehavior == .pauseAndRewind { slot.rewind() }
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
            slot.setLoops(core.settings.loops)
            if entry.shouldPlay { play(slot, entry.id) }
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
        requestDeferredPosters()
        dropAssets()
        failClipsWithoutAssets(failed)
    }

    /// Reports clips for which there is no asset. The failure of one clip changes the plan, which may then need another
    /// one. That one is appended to the list, because nested calls would exhaust the stack for thousands of clips.
    private func failClipsWithoutAssets(_ ids: [ID]) {
        let isFirst = clipsWithoutAssets.isEmpty
        clipsWithoutAssets += ids
        guard isFirst else { return }
        var index = 0
        while index < clipsWithoutAssets.count {
            let id = clipsWithoutAssets[index]
            index += 1
            guard core.plan.entry(of: id) != nil else { continue }
            fail(
                id,
                PlaybackError(code: .invalidArgument, message: "the feed was given no asset for the clip")
            )
        }
        clipsWithoutAssets = []
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
        attach(nil, to: id)
        slot.clear()
        preloads.playerReleased(id)
    }

    /// Loads a clip into a player. Returns false if no player is free.
    private func assign(_ id: ID, _ asset: Asset) -> Bool {
        let free = slots.first { $0.id == nil }
        guard free != nil || slots.count < core.settings.poolSize else { return false }
        let slot = free ?? makeSlot()
        preloads.transfer(id)
        slot.load(id, asset, at: core.startTime(of: id))
        attach(slot.player, to: id)
        return true
    }

    /// Plays a clip. One that is chosen again resumes where it would if its player had been released.
    private func play(_ slot: FeedSlot<ID>, _ id: ID) {
        if slot.progress == .left, let position = slot.resumePosition {
            core.keepPosition(of: id, at: position.time, duration: position.duration)
            if core.startTime(of: id) == 0 { slot.rewind() }
        }
        slot.progress = .played
        slot.play()
    }

    private func makeSlot() -> FeedSlot<ID> {
        let slot = FeedSlot<ID>(Player(configuration: configuration), budget)
        slot.token = slot.player.onEvent { [weak self, weak slot] timed in
            guard let self, let slot else { return }
            switch timed.event {
            case .currentItemChanged: reportSuspension(of: slot)
            // The player does not resume by itself, although a clip may have been chosen during the interruption.
            case .interruptionEnded(shouldResume: false): handle(.time)
            default: break
            }
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
        // If another player has taken over the asset, the clip is preloaded again.
        case .ready, .handedOver: handle(.time)
        case .failed(let error):
            fail(id, error)
        default: break
        }
    }

    private func fail(_ id: ID, _ error: PlaybackError) {
        let handlers = published.withLock { published in
            published.errors[id] = error
            return (published.onFailure, published.onFinish)
        }
        handle(.failed(id))
        handlers.0?(id, error)
        handlers.1?(id, error)
    }

    /// Reports that the budget has suspended a player, or that it has resumed it.
    private func reportSuspension(of slot: FeedSlot<ID>) {
        guard let id = slot.id, slot.isSuspended != slot.membership.isSuspended else { return }
        slot.isSuspended.toggle()
        published.withLock { $0.onChange }?(clock.now, [.suspended(id, slot.isSuspended)])
    }

    private func handlePlayerEvent(_ event: PlayerEvent, of id: ID, _ item: PlayerItem, _ slot: FeedSlot<ID>)
    {
        switch event {
        case .timeControlStatusChanged(.playing, _):
            published.withLock { published in
                published.errors[id] = nil
                return published.onStart
            }?(id)
            handle(.started(id))
            handle(.waiting(id, false))
            reportBuffer(id, item)
        case .timeControlStatusChanged(.waitingToPlayAtSpecifiedRate, _): handle(.waiting(id, true))
        case .loadedTimeRangesChanged(item, _), .playbackBufferFullChanged(item, _): reportBuffer(id, item)
        case .didPlayToEndTime(item) where !core.settings.loops:
            handle(.ended(id))
            let handlers = published.withLock { ($0.onEnd, $0.onFinish) }
            handlers.0?(id)
            handlers.1?(id, nil)
        // The clip was set to repeat after it had ended.
        case .didPlayToEndTime(item) where slot.player.rate == 0: handle(.time)
        case .itemStatusChanged(item, .readyToPlay): posters.removeOutdated(item.asset)
        case .itemStatusChanged(item, .failed):
            if let error = item.error { fail(id, error) }
        case .passEnded(item, .failed(let error)): fail(id, error)
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
