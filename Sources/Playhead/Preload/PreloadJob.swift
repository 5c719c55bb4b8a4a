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
        /// Whether a step is running or enqueued.
        var isScheduled = false
        /// Whether no data is available: no step runs until the demuxer reports data.
        var isWaiting = false
    }

    let asset: Asset
    private let order: UInt64
    private let demuxer: PreloadedDemuxer
    private let driver: any Driver
    private let lane: any Lane
    /// Whether the demuxer reports when a call is worth repeating.
    private let demuxerWakes: Locked<Bool>
    private let changed: @Sendable (PreloadJob) -> Void
    private let state: Locked<State>

    /// The interval in nanoseconds for retrying a demuxer that does not report available data.
    private static let retryInterval: Int64 = 10_000_000

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
        self.asset = asset
        self.order = order
        self.driver = driver
        self.changed = changed
        lane = driver.makeLane(asset.loadingRole, label: "preload")
        demuxer = PreloadedDemuxer(asset, configuration, byteLimit: byteLimit, threadLimit: threadLimit)
        demuxerWakes = Locked(false)
        state = Locked(State(target: target, rank: rank))
    }

    var status: Preloader.Status { state.withLock { $0.status } }
    var hasFailed: Bool { if case .failed = status { true } else { false } }
    var isUnfinished: Bool { [.waiting, .loading].contains(status) }
    /// The rank and the order of creation. Lower values come first.
    var sortKey: (Int, UInt64) { (state.withLock { $0.rank }, order) }

    /// Makes the result available to players of the asset.
    func publish() {
        demuxer.setUsesBlockingReads(driver.stopsTimeDuringReads)
        let wakes = demuxer.setHandlers(
            claimed: { [weak self] in self?.end(.handedOver) },
            ready: { [weak self] in self?.wake() }
        )
        demuxerWakes.withLock { $0 = wakes }
        asset.setPreloaded(demuxer)
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

    /// Permits steps.
    ///
    /// - Returns: True if the job was not active before; call `start()` then.
    func activate() -> Bool {
        state.withLock { state in
            state.mayRun = true
            guard state.status == .waiting else { return false }
            state.status = .loading
            return true
        }
    }

    func start() {
        let mustStart = state.withLock { state in
            guard state.status == .loading, !state.isScheduled, !state.isWaiting else { return false }
            state.isScheduled = true
            return true
        }
        if mustStart { lane.enqueue { [self] in runStep() } }
    }

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
        asset.removePreloaded(demuxer)
        guard demuxer.abandon() else { return false }
        state.withLock { $0.status = .cancelled }
        return true
    }

    private func wake() {
        let mustStart = state.withLock { state in
            guard state.isWaiting else { return false }
            state.isWaiting = false
            guard state.mayRun, !state.isScheduled else { return false }
            state.isScheduled = true
            return true
        }
        if mustStart { lane.enqueue { [self] in runStep() } }
    }

    private func runStep() {
        let target = state.withLock { state -> Preloader.Target? in
            guard state.mayRun, state.status == .loading else {
                state.isScheduled = false
                return nil
            }
            // The flag is set before the step, so that data that arrives during the step causes another one.
            state.isWaiting = true
            return state.target
        }
        guard let target else { return }
        switch Result(catching: { () throws(MediaError) in try demuxer.advance(to: target) }) {
        case .success(.progressed): scheduleNextStep()
        case .success(.reached): end(.ready)
        case .success(.claimed): end(.handedOver)
        case .failure(let error) where error.code == .notReady: waitForBytes()
        case .failure(let error):
            asset.removePreloaded(demuxer)
            if demuxer.abandon() { end(.failed(PlaybackError(error, url: asset.url))) }
        }
    }

    private func scheduleNextStep() {
        state.withLock { $0.isWaiting = false }
        lane.enqueue { [self] in runStep() }
    }

    private func waitForBytes() {
        let hasArrived = state.withLock { state in
            guard state.isWaiting else { return true }
            state.isScheduled = false
            return false
        }
        if hasArrived { return lane.enqueue { [self] in runStep() } }
        guard !demuxerWakes.withLock({ $0 }) else { return }
        let time = driver.clock.now.advanced(by: Self.retryInterval)
        _ = driver.schedule(at: time, on: lane) { [weak self] in self?.wake() }
    }

    private func end(_ status: Preloader.Status) {
        let isNew = state.withLock { state in
            state.isScheduled = false
            state.isWaiting = false
            guard state.status != .handedOver, state.status != .cancelled, state.status != status else {
                return false
            }
            state.status = status
            return true
        }
        if isNew { changed(self) }
    }
}
