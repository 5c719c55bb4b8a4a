import Foundation
import Playhead

/// The players of a feed, and who has them: carries out what the core plans.
///
/// `@unchecked Sendable`: everything is confined to the feed's queue, but what is locked.
final class FeedCrew<ID: Hashable & Sendable>: @unchecked Sendable {
    /// What others may read at any time.
    struct Published: Sendable {
        var plan = FeedPlan<ID>()
        var players: [ID: Player] = [:]
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
    private let presentStill: @Sendable (@escaping @Sendable () -> Void) -> Void
    private var slots: [FeedSlot<ID>] = []
    private var layers: [ID: FeedLayer] = [:]
    /// One for each clip in the list that was wanted: items and posters share what was opened.
    private var assets: [ID: Asset] = [:]
    private var alarm: ObservationToken?
    private var isEnded = false

    init(
        _ settings: FeedSettings,
        _ configuration: Player.Configuration,
        _ clock: SharedClock,
        _ posters: PosterCache,
        _ makeAsset: @escaping @Sendable (ID) -> Asset?
    ) {
        core = FeedCore(settings)
        self.clock = clock
        self.configuration = configuration
        self.posters = posters
        self.makeAsset = makeAsset
        presentStill = clock.makeSinkLane()
    }

    // MARK: What comes in

    func tell(_ event: FeedEvent<ID>) {
        guard !isEnded else { return }
        core.handle(event, at: clock.now)
        switch event {
        case .cells(let cells), .layout(let cells, _, _): keepOnly(Set(cells.map(\.id)))
        default: break
        }
        carryOut()
    }

    func change(_ body: (inout FeedSettings) -> Void) {
        body(&core.settings)
        tell(.time)
    }

    func setLayer(_ layer: FeedLayer?, for id: ID) {
        guard !isEnded else { return }
        if let old = layers[id], old !== layer {
            old.begin()
            layers[id] = nil
        }
        guard let layer, layers[id] !== layer else { return }
        // It served another clip until now.
        for other in layers.keys where layers[other] === layer { layers[other] = nil }
        layers[id] = layer
        let binding = layer.begin()
        if let slot = slot(of: id) { layer.attach(slot.player) }
        requestPoster(of: id, layer, binding)
    }

    func end() {
        guard !isEnded else { return }
        isEnded = true
        alarm = nil
        for slot in slots { slot.end() }
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
        let show: @Sendable (VideoFrame) -> Void = { [presentStill, weak layer] frame in
            presentStill { [weak layer] in layer?.show(frame, for: binding) }
        }
        if let known = posters.poster(of: asset, shape) { return show(known) }
        let request = posters.makePoster(of: asset, shape, clock: clock.mode) { [weak layer] frame in
            if let frame { show(frame) }
            layer?.hold(nil, for: binding)
        }
        layer.hold(request, for: binding)
    }

    // MARK: Carrying out

    private func slot(of id: ID) -> FeedSlot<ID>? { slots.first { $0.id == id } }

    private func carryOut() {
        let (plan, changes) = (core.plan, core.changes)
        // First what ends, so that there are never two sounds nor too many players.
        for slot in slots {
            guard let id = slot.id else { continue }
            let entry = plan.entry(of: id)
            if entry?.plays != true { slot.pause() }
            if plan.sounding != id { slot.player.isMuted = true }
            guard let entry else {
                release(slot, id)
                continue
            }
            if entry.role == .held, core.settings.leaving == .pauseAndRewind { slot.rewind() }
        }
        while slots.count > core.settings.poolSize, let index = slots.firstIndex(where: { $0.id == nil }) {
            slots.remove(at: index).end()
        }
        var failed: [ID] = []
        for entry in plan.entries {
            if slot(of: entry.id) == nil, entry.role != .held {
                if entry.role == .ready, core.settings.preparesOneByOne, !areReady(before: entry.id, plan) {
                    break
                }
                if !assign(entry.id) { failed.append(entry.id) }
            }
            guard let slot = slot(of: entry.id) else { continue }
            slot.setLoading(entry.role == .ready ? (plan.isPreloadingSuspended ? .rests : .first) : .all)
            if plan.sounding == entry.id { slot.player.isMuted = false }
            if entry.plays { slot.play(loops: core.settings.loops) }
        }
        alarm = plan.nextDecision.map { time in
            clock.schedule(at: time) { [weak self] in self?.tell(.time) }
        }
        publish(plan, changes)
        for id in failed { tell(.failed(id)) }
    }

    private func publish(_ plan: FeedPlan<ID>, _ changes: [FeedChange<ID>]) {
        let players = slots.compactMap { slot in slot.id.map { ($0, slot.player) } }
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

    private func areReady(before id: ID, _ plan: FeedPlan<ID>) -> Bool {
        plan.ready.prefix { $0 != id }.allSatisfy { slot(of: $0)?.isReady == true }
    }

    private func release(_ slot: FeedSlot<ID>, _ id: ID) {
        if let place = slot.place { core.keepPosition(of: id, at: place.time, duration: place.duration) }
        layers[id]?.attach(nil)
        slot.clear()
    }

    /// False: there is nothing to play.
    private func assign(_ id: ID) -> Bool {
        guard let asset = asset(of: id) else { return false }
        let free = slots.first { $0.id == nil }
        guard free != nil || slots.count < core.settings.poolSize else { return true }
        let slot = free ?? makeSlot()
        slot.take(id, asset, at: core.startTime(of: id), loops: core.settings.loops)
        layers[id]?.attach(slot.player)
        return true
    }

    private func makeSlot() -> FeedSlot<ID> {
        let slot = FeedSlot<ID>(Player(configuration: configuration))
        slot.token = slot.player.onEvent { [weak self, weak slot] timed in
            guard let self, let slot else { return }
            // What an earlier clip of this player still has to tell is of no interest.
            guard let id = slot.id, let item = slot.item, timed.item === item else { return }
            take(timed.event, of: id, item, slot)
        }
        slots.append(slot)
        return slot
    }

    // MARK: What players tell

    private func take(_ event: PlayerEvent, of id: ID, _ item: PlayerItem, _ slot: FeedSlot<ID>) {
        switch event {
        case .timeControlStatusChanged(.playing, _):
            tell(.started(id))
            tell(.waiting(id, false))
            tellBuffer(id, item)
        case .timeControlStatusChanged(.waitingToPlayAtSpecifiedRate, _): tell(.waiting(id, true))
        case .loadedTimeRangesChanged(item, _), .playbackBufferFullChanged(item, _): tellBuffer(id, item)
        case .readyForDisplayChanged(item, true):
            slot.isReady = true
            if core.settings.preparesOneByOne { tell(.time) }
        case .didPlayToEndTime(item) where !core.settings.loops:
            tell(.ended(id))
            published.withLock { $0.onEnd }?(id)
        case .itemStatusChanged(item, .failed), .passEnded(item, .failed):
            let error = item.error
            published.withLock { $0.errors[id] = error }
            tell(.failed(id))
        default: break
        }
    }

    private func tellBuffer(_ id: ID, _ item: PlayerItem) {
        guard core.plan.entry(of: id)?.role == .chosen else { return }
        let end = item.loadedTimeRanges.last?.end.seconds ?? 0
        let isWhole = item.duration.isNumeric && end >= item.duration.seconds - 0.1
        // Files do not share a line with anybody.
        let isLocal = item.asset.description?.isLocal ?? false
        tell(
            .buffered(
                id,
                seconds: max(0, end - item.currentTime().seconds),
                isFull: isLocal || isWhole || item.isPlaybackBufferFull
            )
        )
    }
}
