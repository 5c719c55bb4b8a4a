import MediaCore
import PlaybackEngine
import PlayheadBackend

/// Examines growing files periodically and reports when they have grown (`FragmentedAsset.durationDidChange`).
///
/// A minder works on a lane of its own until it is released. All members may be used from any thread.
public final class FragmentedAssetMinder: Sendable {
    private struct State {
        var assets: [FragmentedAsset] = []
        var interval: Double
        var wakeup: (any Wakeup)?
    }

    private let driver: any Driver
    private let lane: any Lane
    private let state: Locked<State>

    /// Creates a minder.
    ///
    /// - Parameters:
    ///   - asset: The first asset to examine, or nil.
    ///   - mindingInterval: The interval between examinations in seconds; see `mindingInterval`.
    ///   - clock: The clock for the interval. The host clock replaces `.virtual`, on which examinations would follow
    ///     each other without a pause.
    public init(asset: FragmentedAsset? = nil, mindingInterval: Double = 10, clock: ClockMode = .host) {
        var configuration = Player.Configuration()
        if case .virtual = clock {} else { configuration.clock = clock }
        driver = configuration.clock.makeDriver()
        lane = driver.makeLane(.blockingIO, label: "minder")
        state = Locked(State(interval: Self.clamped(mindingInterval)))
        if let asset { add(asset) }
    }

    deinit {
        let (assets, wakeup) = state.withLock { ($0.assets, $0.wakeup) }
        wakeup?.cancel()
        for asset in assets { asset.removeMinder() }
    }

    /// The interval between examinations in seconds, at least 0.01. NaN counts as 10. A new value takes effect at once.
    public var mindingInterval: Double {
        get { state.withLock { $0.interval } }
        set {
            state.withLock { $0.interval = Self.clamped(newValue) }
            scheduleRefresh()
        }
    }

    /// The assets that are examined, in the order in which they were added. The minder retains them.
    public var assets: [FragmentedAsset] { state.withLock { $0.assets } }

    /// Adds an asset. Adding it twice has no effect.
    ///
    /// - Parameter asset: The asset to examine periodically.
    public func add(_ asset: FragmentedAsset) {
        let isNew = state.withLock { state in
            guard !state.assets.contains(where: { $0 === asset }) else { return false }
            state.assets.append(asset)
            return true
        }
        guard isNew else { return }
        asset.addMinder()
        scheduleRefresh()
    }

    /// Removes an asset. The result of an examination in progress may still be reported.
    ///
    /// - Parameter asset: The asset to remove.
    public func remove(_ asset: FragmentedAsset) {
        let wasThere = state.withLock { state in
            let count = state.assets.count
            state.assets.removeAll { $0 === asset }
            return state.assets.count < count
        }
        if wasThere { asset.removeMinder() }
    }

    private static func clamped(_ interval: Double) -> Double {
        interval.isNaN ? 10 : min(max(0.01, interval), 1_000_000)
    }

    private func scheduleRefresh() {
        state.withLock { state in
            state.wakeup?.cancel()
            let next = driver.clock.now.advanced(by: Int64(clamping: state.interval * 1_000_000_000))
            state.wakeup = driver.schedule(at: next, on: lane) { [weak self] in self?.refresh() }
        }
    }

    private func refresh() {
        let assets = assets
        // Adding an asset schedules the next refresh.
        guard !assets.isEmpty else { return }
        for asset in assets { asset.refresh() }
        scheduleRefresh()
    }
}
