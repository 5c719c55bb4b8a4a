import MediaCore
import PlaybackEngine
import PlayheadBackend

/// One asset that is made ready, a step at a time, on a lane of its own.
final class PreloadJob: Sendable {
    private struct State {
        var status = Preloader.Status.waiting
        var target: Preloader.Target
        var rank: Int
        /// Others may go first: no turn begins.
        var mayRun = false
        /// A turn is under way, or comes.
        var isScheduled = false
        /// Nothing is at hand: there is no turn until the demuxer has something.
        var isWaiting = false
    }

    let asset: Asset
    private let order: UInt64
    private let demuxer: PreloadedDemuxer
    private let driver: any Driver
    private let lane: any Lane
    /// The demuxer says when it is worth asking again.
    private let demuxerWakes: Locked<Bool>
    private let changed: @Sendable (PreloadJob) -> Void
    private let state: Locked<State>

    /// Nanoseconds until a demuxer is asked again that does not tell when it has something.
    private static let pause: Int64 = 10_000_000

    /// `changed`: it reached its target, failed, or was taken; on the lane, or where it is taken.
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
    /// Lower goes first.
    var place: (Int, UInt64) { (state.withLock { $0.rank }, order) }

    /// From here on a player of the asset takes it.
    func offer() {
        demuxer.setWaitsInCalls(driver is VirtualDriver)
        let wakes = demuxer.listen(
            taken: { [weak self] in self?.end(.handedOver) },
            ready: { [weak self] in self?.wake() }
        )
        demuxerWakes.withLock { $0 = wakes }
        asset.setPreloaded(demuxer)
    }

    /// True: there is something to do that there was not before.
    func want(_ target: Preloader.Target, rank: Int) -> Bool {
        state.withLock { state in
            state.rank = rank
            guard state.target != target else { return false }
            state.target = target
            guard state.status == .ready else { return false }
            state.status = .waiting
            return true
        }
    }

    /// Turns may begin. True: that is new, and `start` is to be called.
    func run() -> Bool {
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
        if mustStart { lane.enqueue { [self] in turn() } }
    }

    /// No turn begins any more. True: that is new.
    func rest() -> Bool {
        state.withLock { state in
            state.mayRun = false
            guard state.status == .loading else { return false }
            state.status = .waiting
            return true
        }
    }

    /// What was made is let go of, unless a player has it. True: nobody had.
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
        if mustStart { lane.enqueue { [self] in turn() } }
    }

    private func turn() {
        let target = state.withLock { state -> Preloader.Target? in
            guard state.mayRun, state.status == .loading else {
                state.isScheduled = false
                return nil
            }
            // Said beforehand: what comes meanwhile is worth another turn.
            state.isWaiting = true
            return state.target
        }
        guard let target else { return }
        switch Result(catching: { () throws(MediaError) in try demuxer.goOn(to: target) }) {
        case .success(.moved): again()
        case .success(.reached): end(.ready)
        case .success(.taken): end(.handedOver)
        case .failure(let error) where error.code == .notReady: waitForBytes()
        case .failure(let error):
            asset.removePreloaded(demuxer)
            if demuxer.abandon() { end(.failed(PlaybackError(error, url: asset.url))) }
        }
    }

    private func again() {
        state.withLock { $0.isWaiting = false }
        lane.enqueue { [self] in turn() }
    }

    private func waitForBytes() {
        let cameMeanwhile = state.withLock { state in
            guard state.isWaiting else { return true }
            state.isScheduled = false
            return false
        }
        if cameMeanwhile { return lane.enqueue { [self] in turn() } }
        guard !demuxerWakes.withLock({ $0 }) else { return }
        let time = driver.clock.now.advanced(by: Self.pause)
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
