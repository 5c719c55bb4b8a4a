import MediaCore
import PlaybackEngine
import PlayheadBackend

/// Preloads one asset, one step at a time, on a lane of its own.
final class PreloadJob: Sendable {
    private struct State {
        var status = Preloader.Status.waiting
        var target: Preloader.Target
        var rank: Int
        /// Whether steps may run. Other jobs may have precedence.
        var mayRun = false
        /// Runs the steps. It is set by `publish()`.
        var runner: StageRunner?
    }

    let asset: Asset
    private let order: UInt64
    private let demuxer: PreloadedDemuxer
    private let lane: any Lane
    private let changed: @Sendable (PreloadJob) -> Void
    private let state: Locked<State>

    /// Creates a job.
    ///
    /// - Parameter changed: Called when the job has reached its target, has failed, or its result has been claimed; on
    ///   the lane, or on the claiming thread.
    init(
        _ asset: Asset,
        _ target: Preloader.Target,
        rank: Int,
        order: UInt64,
        _ configuration: Player.Configuration,
        _ driver: any Driver,
        byteLimit: Int,
        threadLimit: Int?,
        changed: @escaping @Sendable (PreloadJob) -> Void
    ) {
        asset.setDefaultNetworkOptions(configuration.network)
        self.asset = asset
        self.order = order
        self.changed = changed
        lane = driver.makeLane(asset.loadingRole, label: "preload")
        demuxer = PreloadedDemuxer(
            asset,
            configuration,
            usesBlockingReads: driver.stopsTimeDuringReads,
            byteLimit: byteLimit,
            threadLimit: threadLimit
        )
        state = Locked(State(target: target, rank: rank))
    }

    var status: Preloader.Status { state.withLock { $0.status } }
    var hasFailed: Bool { if case .failed = status { true } else { false } }
    var isUnfinished: Bool { [.waiting, .loading].contains(status) }
    /// The rank and the order of creation. Lower values come first.
    var sortKey: (Int, UInt64) { (state.withLock { $0.rank }, order) }

    /// Makes the result available to players of the asset, unless the job has been cancelled.
    func publish() {
        let runner = StageRunner(on: lane, stepsPerTurn: 1) { [weak self] in self?.step() ?? .finished }
        demuxer.setClaimHandler { [weak self] in
            guard let self else { return }
            // The player does not use an outdated result, so the asset need not keep it.
            asset.removePreloaded(demuxer)
            end(.handedOver)
        }
        runner.wakes(for: demuxer)
        state.withLock { state in
            // Another thread may have cancelled the job, and may have published another one for the asset.
            guard state.status != .cancelled else { return }
            asset.setPreloaded(demuxer)
            state.runner = runner
        }
    }

    /// Changes the target and the rank.
    ///
    /// - Returns: True if there is new work.
    func update(target: Preloader.Target, rank: Int) -> Bool {
        state.withLock { state in
            state.rank = rank
            guard state.target != target else { return false }
            state.target = target
            guard state.status == .ready else { return false }
            state.status = .waiting
            return true
        }
    }

    /// Permits steps, unless the job has not been published yet.
    ///
    /// - Returns: True if the job was not active before; call `start()` then.
    func activate() -> Bool {
        state.withLock { state in
            // Another thread may schedule jobs before the job has a runner to start.
            guard state.runner != nil else { return false }
            state.mayRun = true
            guard state.status == .waiting else { return false }
            state.status = .loading
            return true
        }
    }

    func start() { state.withLock { $0.runner }?.wake() }

    /// Prevents further steps.
    ///
    /// - Returns: True if the job was active before.
    func suspend() -> Bool {
        state.withLock { state in
            state.mayRun = false
            guard state.status == .loading else { return false }
            state.status = .waiting
            return true
        }
    }

    /// Releases the result unless a player has claimed it.
    ///
    /// - Returns: True if no player has claimed it.
    @discardableResult
    func cancel() -> Bool {
        let isUnclaimed = demuxer.abandon()
        // The job is not published after this.
        if isUnclaimed { state.withLock { $0.status = .cancelled } }
        asset.removePreloaded(demuxer)
        return isUnclaimed
    }

    private func step() -> StepResult {
        let target = state.withLock { state in
            state.mayRun && state.status == .loading ? state.target : nil
        }
        guard let target else { return .finished }
        do throws(MediaError) {
            switch try demuxer.advance(to: target) {
            case .progressed: return .progressed
            case .pending: return .needsInput
            case .reached:
                end(.ready, of: target)
                // Another thread may have changed the target meanwhile.
                return status == .loading ? .progressed : .finished
            case .claimed: end(.handedOver)
            }
        } catch {
            asset.removePreloaded(demuxer)
            if demuxer.abandon() { end(.failed(PlaybackError(error, url: asset.url))) }
        }
        return .finished
    }

    /// Ends the job. If `target` has been reached, the job ends unless it has another target now.
    private func end(_ status: Preloader.Status, of target: Preloader.Target? = nil) {
        let isNew = state.withLock { state in
            guard state.status != .handedOver, state.status != .cancelled, state.status != status,
                target == nil || target == state.target
            else { return false }
            state.status = status
            return true
        }
        if isNew { changed(self) }
    }
}
