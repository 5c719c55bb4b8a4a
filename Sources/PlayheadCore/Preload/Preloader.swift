import MediaCore
import PlaybackEngine
import PlayheadBackend

/// Prepares assets for playback: opens them, reads their first seconds, and decodes their first frame.
///
///     let preloader = Preloader()
///     preloader.preload(next, to: .firstFrame(loading: .seconds(2)), rank: 0)
///     preloader.preload(afterNext, to: .probed, rank: 1)
///     player.replaceCurrentItem(with: PlayerItem(asset: next))  // continues where the preloader stopped
///
/// A player that plays the same `Asset` object takes over the result, complete or not: the file is not opened again,
/// and no byte is received twice. Assets with a lower rank are loaded first. Playback has precedence: while an item of
/// the process waits for data or is not likely to keep up, no further loading starts, and it resumes by itself
/// afterwards. Data that has been requested already still arrives.
///
/// A live presentation is only opened, whatever the target is, and the player opens it again: the segments that its
/// playlist has now may be gone when it is played.
///
/// All members may be used from any thread, and no call blocks. Releasing a preloader cancels what no player has
/// claimed.
public final class Preloader: Sendable {
    private struct State {
        var jobs: [ObjectIdentifier: PreloadJob] = [:]
        var order: UInt64 = 0
        var isPaused = false
        var options = Options()
        var listener: UInt64 = 0
        var onChange: (@Sendable (Change) -> Void)?
    }

    private let configuration: Player.Configuration
    private let driver: any Driver
    private let loadPriorityGate: LoadPriorityGate
    private let budget: PlaybackBudget?
    private let fanout = Fanout<Change>()
    private let state = Locked(State())

    /// Creates a preloader.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the players that will play the assets. Players with another backend or
    ///     decoding policy open the assets themselves.
    ///   - options: The limits of preloading.
    ///   - budget: The budget of those players. Preloading decodes with the threads that the budget grants one decoder.
    public init(
        configuration: Player.Configuration = Player.Configuration(),
        options: Options = Options(),
        budget: PlaybackBudget? = nil
    ) {
        self.configuration = configuration
        self.budget = budget
        driver = configuration.clock.makeDriver()
        loadPriorityGate = LoadPriorityGate.gate(for: driver)
        let listener = loadPriorityGate.addListener { [weak self] in self?.schedule() }
        state.withLock { state in
            state.listener = listener
            state.options = options
        }
    }

    deinit {
        let (jobs, listener) = state.withLock { ($0.jobs.values, $0.listener) }
        loadPriorityGate.removeListener(listener)
        for job in jobs { job.cancel() }
    }

    // MARK: Requests

    /// Preloads an asset. Assets with a lower rank are loaded first, and those of the same rank in the order of the
    /// calls.
    ///
    /// Another call for the same asset replaces its target and rank. The result so far is kept, and an asset that
    /// failed is tried again.
    ///
    /// - Parameters:
    ///   - asset: The asset to preload.
    ///   - target: How far to prepare the asset.
    ///   - rank: The rank among the assets.
    public func preload(_ asset: Asset, to target: Target, rank: Int = 0) {
        let key = ObjectIdentifier(asset)
        let threadLimit = budget?.threadsPerDecoder
        let (job, isNew, isAgain) = state.withLock { state in
            state.order += 1
            if let job = state.jobs[key], !job.hasFailed {
                return (job, false, job.update(target: target, rank: rank))
            }
            let job = PreloadJob(
                asset,
                target,
                rank: rank,
                order: state.order,
                configuration,
                driver,
                byteLimit: state.options.byteLimit,
                threadLimit: threadLimit,
                changed: { [weak self] job in self?.jobDidChange(job) }
            )
            state.jobs[key] = job
            return (job, true, false)
        }
        if isNew { job.publish() }
        if isNew || isAgain { report(job.asset, job.status) }
        schedule()
    }

    /// Preloads the asset of an item.
    ///
    /// - Parameters:
    ///   - item: The item whose asset to preload.
    ///   - target: How far to prepare the asset.
    ///   - rank: The rank among the assets.
    public func preload(_ item: PlayerItem, to target: Target, rank: Int = 0) {
        preload(item.asset, to: target, rank: rank)
    }

    /// Preloads a list of assets with descending precedence, and cancels all others.
    ///
    /// - Parameter wanted: The assets and their targets.
    public func preload(_ wanted: [(asset: Asset, target: Target)]) {
        let kept = Set(wanted.map { ObjectIdentifier($0.asset) })
        let unwanted = state.withLock { $0.jobs.values.filter { !kept.contains(ObjectIdentifier($0.asset)) } }
        for job in unwanted { cancel(job.asset) }
        for (rank, entry) in wanted.enumerated() { preload(entry.asset, to: entry.target, rank: rank) }
    }

    /// Cancels preloading an asset and releases the result, unless a player has claimed it.
    ///
    /// - Parameter asset: The asset.
    public func cancel(_ asset: Asset) {
        let job = state.withLock { $0.jobs.removeValue(forKey: ObjectIdentifier(asset)) }
        guard let job else { return }
        if job.cancel() { report(asset, .cancelled) }
        schedule()
    }

    /// Cancels preloading all assets.
    public func cancelAll() {
        for job in state.withLock({ Array($0.jobs.values) }) { cancel(job.asset) }
    }

    /// Whether preloading is paused. Results so far are kept.
    public var isPaused: Bool {
        get { state.withLock { $0.isPaused } }
        set {
            state.withLock { $0.isPaused = newValue }
            schedule()
        }
    }

    /// The limits of preloading. A change takes effect at once; `byteLimit` applies to assets that are added later.
    public var options: Options {
        get { state.withLock { $0.options } }
        set {
            state.withLock { $0.options = newValue }
            schedule()
        }
    }

    // MARK: Status

    /// Whether no loading starts at present, because `isPaused` is set or a playing item needs data.
    public var isSuspended: Bool { isPaused || loadPriorityGate.needsData }

    /// Returns the status of preloading an asset.
    ///
    /// - Parameter asset: The asset.
    /// - Returns: The status, or nil if the asset was never preloaded, was cancelled, or has been claimed by a player.
    public func status(of asset: Asset) -> Status? {
        state.withLock { $0.jobs[ObjectIdentifier(asset)] }?.status
    }

    /// A stream of the changes from now on, for one reader. No change is omitted, so read the stream as long as it is
    /// kept. It ends when the preloader is released.
    public var changes: AsyncStream<Change> { fanout.makeStream() }

    // MARK: Scheduling

    /// Starts and suspends jobs by rank.
    private func schedule() {
        // The order of decisions is the order of their reports.
        let (begun, stopped) = state.withLock { state -> ([PreloadJob], [PreloadJob]) in
            let open = state.jobs.values.filter(\.isUnfinished).sorted { $0.sortKey < $1.sortKey }
            let count =
                state.isPaused || loadPriorityGate.needsData ? 0 : max(1, state.options.concurrentLoads)
            return (
                open.prefix(count).filter { $0.activate() }, open.dropFirst(count).filter { $0.suspend() }
            )
        }
        for job in stopped { report(job.asset, .waiting) }
        for job in begun {
            report(job.asset, .loading)
            job.start()
        }
    }

    /// Handles a job that has ended or failed, or whose result was claimed.
    private func jobDidChange(_ job: PreloadJob) {
        let status = job.status
        if status == .handedOver {
            state.withLock { state in
                let key = ObjectIdentifier(job.asset)
                if state.jobs[key] === job { state.jobs[key] = nil }
            }
        }
        report(job.asset, status)
        schedule()
    }

    /// Sets a handler for changes. It is called on the thread that made the change; changes of several threads are in
    /// no particular order.
    package func setChangeHandler(_ handler: (@Sendable (Change) -> Void)?) {
        state.set(\.onChange, to: handler)
    }

    private func report(_ asset: Asset, _ status: Status) {
        let change = Change(asset: asset, status: status)
        fanout.yield(change)
        state.withLock { $0.onChange }?(change)
    }
}
