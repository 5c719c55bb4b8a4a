import Playhead

/// The next clips that do not have players yet. A preloader opens them, reads their first bytes and decodes their first
/// frames, nearest first.
///
/// `@unchecked Sendable`: confined to the feed's queue.
final class FeedPreloads<ID: Hashable & Sendable>: @unchecked Sendable {
    /// A clip to preload.
    struct Request {
        let id: ID
        let asset: Asset
        /// The number of preloaded clips before this one.
        let rank: Int
        /// The position in seconds from which the clip resumes.
        let start: Double

        /// The stage up to which the clip is preloaded. Less is loaded for clips that are further away. A clip that
        /// resumes in its middle is only opened, because its beginning is not needed.
        fileprivate var target: Preloader.Target {
            start > 0 ? .probed : .firstFrame(loading: .seconds(Request.secondsAhead(rank)))
        }

        /// Returns the seconds of media to load, by the number of preloaded clips before the clip.
        static func secondsAhead(_ rank: Int) -> Double { [2, 1][safe: rank] ?? 0 }
    }

    private struct Entry {
        let asset: Asset
        var target: Preloader.Target
        var rank: Int
    }

    private let preloader: Preloader
    private var entries: [ID: Entry] = [:]
    /// The assets of clips that have been assigned to players. Each player takes over the preloaded resources on a lane
    /// of its own.
    private var transferred: [ID: Asset] = [:]

    init(_ configuration: Player.Configuration, _ budget: PlaybackBudget) {
        preloader = Preloader(configuration: configuration, budget: budget)
    }

    /// Sets a handler that is called on any thread with the result of a preload.
    func setChangeHandler(_ handler: @escaping @Sendable (Preloader.Change) -> Void) {
        preloader.setChangeHandler(handler)
    }

    /// Preloads exactly the requested clips and cancels all others. Nothing new is begun while `isSuspended` is true.
    func update(_ requests: [Request], isSuspended: Bool, oneByOne: Bool) {
        let ids = Set(requests.map(\.id))
        for (id, entry) in entries where !ids.contains(id) {
            entries[id] = nil
            preloader.cancel(entry.asset)
        }
        if preloader.isPaused != isSuspended { preloader.isPaused = isSuspended }
        let count = oneByOne ? 1 : Preloader.Options().concurrentLoads
        if preloader.options.concurrentLoads != count { preloader.options.concurrentLoads = count }
        for new in requests {
            let entry = Entry(asset: new.asset, target: new.target, rank: new.rank)
            // The preloader has no status of an asset that another player has taken over.
            if let old = entries[new.id], old.target == entry.target, old.rank == entry.rank,
                preloader.status(of: entry.asset) != nil
            {
                continue
            }
            entries[new.id] = entry
            preloader.preload(new.asset, to: entry.target, rank: entry.rank)
        }
    }

    /// Discards what was preloaded of a clip.
    func cancel(_ id: ID) {
        if let entry = entries.removeValue(forKey: id) { preloader.cancel(entry.asset) }
    }

    /// Returns whether a clip has been preloaded as far as requested.
    func isReady(_ id: ID) -> Bool {
        guard let entry = entries[id] else { return false }
        return preloader.status(of: entry.asset) == .ready
    }

    /// Returns the clip of an asset, among the clips without a player.
    func id(of asset: Asset) -> ID? { entries.first { $0.value.asset === asset }?.key }

    /// Leaves a clip to a player, together with the resources preloaded so far.
    func transfer(_ id: ID) {
        if let entry = entries.removeValue(forKey: id) { transferred[id] = entry.asset }
    }

    /// Cancels what is left of a clip whose player has released it.
    func playerReleased(_ id: ID) {
        // The player may have been released before it took over the preloaded resources.
        if let asset = transferred.removeValue(forKey: id) { preloader.cancel(asset) }
    }

    func close() {
        entries = [:]
        transferred = [:]
        preloader.setChangeHandler(nil)
        preloader.cancelAll()
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
