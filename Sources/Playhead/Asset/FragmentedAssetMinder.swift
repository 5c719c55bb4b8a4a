import MediaCore
import PlaybackEngine
import PlayheadBackend

/// Looks at growing files again and again, and says when they have grown (`FragmentedAsset.durationDidChange`). Works
/// on a lane of its own until it is released. From any thread.
public final class FragmentedAssetMinder: Sendable {
    private struct State {
        var assets: [FragmentedAsset] = []
        var interval: Double
        var wakeup: (any Wakeup)?
    }

    private let driver: any Driver
    private let lane: any Lane
    private let state: Locked<State>

    /// `mindingInterval`: seconds from one look to the next; see there. A virtual clock would look without a pause:
    /// the machine's is taken instead.
    public init(asset: FragmentedAsset? = nil, mindingInterval: Double = 10, clock: ClockMode = .host) {
        var configuration = Player.Configuration()
        if case .virtual = clock {} else { configuration.clock = clock }
        driver = configuration.clock.makeDriver()
        lane = driver.makeLane(.loading, label: "minder")
        state = Locked(State(interval: Self.held(mindingInterval)))
        if let asset { add(asset) }
    }

    deinit {
        let (assets, wakeup) = state.withLock { ($0.assets, $0.wakeup) }
        wakeup?.cancel()
        for asset in assets { asset.minderWent() }
    }

    /// Seconds, at least a hundredth; what is no number counts as 10. Another one counts from now on.
    public var mindingInterval: Double {
        get { state.withLock { $0.interval } }
        set {
            state.withLock { $0.interval = Self.held(newValue) }
            plan()
        }
    }

    /// Those that it looks at, in the order in which they were added. It holds them.
    public var assets: [FragmentedAsset] { state.withLock { $0.assets } }

    /// Twice the same is once.
    public func add(_ asset: FragmentedAsset) {
        let isNew = state.withLock { state in
            guard !state.assets.contains(where: { $0 === asset }) else { return false }
            state.assets.append(asset)
            return true
        }
        guard isNew else { return }
        asset.minderCame()
        plan()
    }

    /// A look that is under way may still be told of.
    public func remove(_ asset: FragmentedAsset) {
        let wasThere = state.withLock { state in
            let count = state.assets.count
            state.assets.removeAll { $0 === asset }
            return state.assets.count < count
        }
        if wasThere { asset.minderWent() }
    }

    private static func held(_ interval: Double) -> Double {
        interval.isNaN ? 10 : min(max(0.01, interval), 1_000_000)
    }

    private func plan() {
        state.withLock { state in
            state.wakeup?.cancel()
            let next = driver.clock.now.advanced(by: Int64(state.interval * 1_000_000_000))
            state.wakeup = driver.schedule(at: next, on: lane) { [weak self] in self?.look() }
        }
    }

    private func look() {
        let assets = assets
        // Whoever is added begins again.
        guard !assets.isEmpty else { return }
        for asset in assets { asset.look() }
        plan()
    }
}
