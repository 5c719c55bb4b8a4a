import Playhead

/// The next clips before they have players: a preloader opens them, reads their first bytes and decodes their first
/// frames, the nearest one first. Confined to the feed's queue.
///
/// `@unchecked Sendable` for that reason.
final class FeedPreloads<ID: Hashable & Sendable>: @unchecked Sendable {
    /// A clip that is to be made ready.
    struct Wanted {
        let id: ID
        let asset: Asset
        /// How many go before it.
        let rank: Int
        /// It goes on from a place of its own, in seconds.
        let start: Double

        /// Less is read of what is further away. Where a clip goes on in its middle its beginning is of no use.
        fileprivate var target: Preloader.Target {
            start > 0 ? .probed : .firstFrame(loading: Wanted.secondsAhead(rank))
        }

        /// Seconds of media that are loaded, by the number of clips that go before.
        static func secondsAhead(_ rank: Int) -> Double { [2, 1][safe: rank] ?? 0 }
    }

    private struct Entry {
        let asset: Asset
        var target: Preloader.Target
        var rank: Int
    }

    private let preloader: Preloader
    private var entries: [ID: Entry] = [:]
    /// A player has them, or is about to: it takes them over on a lane of its own.
    private var handedOver: [ID: Asset] = [:]

    init(_ configuration: Player.Configuration, _ budget: PlaybackBudget) {
        preloader = Preloader(configuration: configuration, budget: budget)
    }

    /// Called on any thread with what became of an asset.
    func setChangeHandler(_ handler: @escaping @Sendable (Preloader.Change) -> Void) {
        preloader.setChangeHandler(handler)
    }

    /// Exactly these; what is not among them is called off. `isSuspended`: nothing is begun.
    func want(_ wanted: [Wanted], isSuspended: Bool, oneByOne: Bool) {
        let ids = Set(wanted.map(\.id))
        for (id, entry) in entries where !ids.contains(id) {
            entries[id] = nil
            preloader.cancel(entry.asset)
        }
        if preloader.isPaused != isSuspended { preloader.isPaused = isSuspended }
        let count = oneByOne ? 1 : Preloader.Options().concurrentLoads
        if preloader.options.concurrentLoads != count { preloader.options.concurrentLoads = count }
        for new in wanted {
            let entry = Entry(asset: new.asset, target: new.target, rank: new.rank)
            if let old = entries[new.id], old.target == entry.target, old.rank == entry.rank { continue }
            entries[new.id] = entry
            preloader.preload(new.asset, to: entry.target, rank: entry.rank)
        }
    }

    /// As far as was wanted.
    func isReady(_ id: ID) -> Bool {
        guard let entry = entries[id] else { return false }
        return preloader.status(of: entry.asset) == .ready
    }

    /// Whose asset it is, of those that no player has.
    func id(of asset: Asset) -> ID? { entries.first { $0.value.asset === asset }?.key }

    /// A player gets it, with what was made of it by now.
    func handOver(_ id: ID) {
        if let entry = entries.removeValue(forKey: id) { handedOver[id] = entry.asset }
    }

    /// Its player has let go of it.
    func takeBack(_ id: ID) {
        // It may have been too quick to take anything over.
        if let asset = handedOver.removeValue(forKey: id) { preloader.cancel(asset) }
    }

    func end() {
        entries = [:]
        handedOver = [:]
        preloader.setChangeHandler(nil)
        preloader.cancelAll()
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
