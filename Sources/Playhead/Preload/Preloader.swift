import MediaCore
import PlaybackEngine
import PlayheadBackend

/// Makes assets ready before anybody plays them: opens them, reads their first seconds, decodes their first picture.
///
///     let preloader = Preloader()
///     preloader.preload(next, to: .firstFrame(loading: 2), rank: 0)
///     preloader.preload(afterNext, to: .probed, rank: 1)
///     player.replaceCurrentItem(with: PlayerItem(asset: next))  // opens nothing: it goes on where the preloader was
///
/// A player that plays the same `Asset` object takes over what was made of it, finished or not; the file is not
/// opened again and no byte is fetched twice. Assets of a lower rank go first. What players play goes before all: while one of
/// the process is hungry (it wants to play and waits, or is not likely to keep up), nothing new is begun here, and it goes on
/// by itself afterwards. What is under way to a source then still arrives.
///
/// Any thread; nothing blocks its caller. There are no timers and no threads of its own. Releasing a preloader calls off
/// what nobody has taken.
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
    private let fanout = Fanout<Change>(depth: 1024)
    private let state = Locked(State())

    /// `configuration`: that of the players that will play the assets. Where theirs has another backend, or another policy for
    /// decoding, they open the assets themselves. `budget`: that of these players; what is decoded ahead has the threads that it
    /// leaves one of them.
    public init(
        configuration: Player.Configuration = Player.Configuration(),
        options: Options = Options(),
        budget: PlaybackBudget? = nil
    ) {
        self.configuration = configuration
        self.budget = budget
        driver = configuration.clock.makeDriver()
        loadPriorityGate = LoadPriorityGate.of(driver)
        let listener = loadPriorityGate.listen { [weak self] in self?.consider() }
        state.withLock { state in
            state.listener = listener
            state.options = options
        }
    }

    deinit {
        let (jobs, listener) = state.withLock { ($0.jobs.values, $0.listener) }
        loadPriorityGate.stopListening(listener)
        for job in jobs { job.cancel() }
    }

    // MARK: What is wanted

    /// Makes `asset` ready as far as `target`. Those of a lower `rank` go first, among equals the one that was asked for first.
    /// Asked again for the same asset, target and rank are replaced: what was made stays, and one that failed is tried again.
    public func preload(_ asset: Asset, to target: Target, rank: Int = 0) {
        let key = ObjectIdentifier(asset)
        let threadLimit = budget?.threadsOfOne
        let (job, isNew, isAgain) = state.withLock { state in
            state.order += 1
            if let job = state.jobs[key], !job.hasFailed {
                return (job, false, job.want(target, rank: rank))
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
                changed: { [weak self] job in self?.follow(job) }
            )
            state.jobs[key] = job
            return (job, true, false)
        }
        if isNew { job.offer() }
        if isNew || isAgain { tell(job.asset, job.status) }
        consider()
    }

    /// The same for the asset of an item.
    public func preload(_ item: PlayerItem, to target: Target, rank: Int = 0) {
        preload(item.asset, to: target, rank: rank)
    }

    /// Exactly these, the first one first: what is not among them is called off.
    public func preload(_ wanted: [(asset: Asset, target: Target)]) {
        let kept = Set(wanted.map { ObjectIdentifier($0.asset) })
        let unwanted = state.withLock { $0.jobs.values.filter { !kept.contains(ObjectIdentifier($0.asset)) } }
        for job in unwanted { cancel(job.asset) }
        for (rank, entry) in wanted.enumerated() { preload(entry.asset, to: entry.target, rank: rank) }
    }

    /// What was made of it is let go of, and what is under way ends. Nothing happens where a player has it.
    public func cancel(_ asset: Asset) {
        let job = state.withLock { $0.jobs.removeValue(forKey: ObjectIdentifier(asset)) }
        guard let job else { return }
        if job.cancel() { tell(asset, .cancelled) }
        consider()
    }

    /// All of them.
    public func cancelAll() {
        for job in state.withLock({ Array($0.jobs.values) }) { cancel(job.asset) }
    }

    /// Nothing is begun while this is set; what was made stays.
    public var isPaused: Bool {
        get { state.withLock { $0.isPaused } }
        set {
            state.withLock { $0.isPaused = newValue }
            consider()
        }
    }

    /// How much is done at the same time. A change counts at once; `byteLimit` counts for what is asked for from then on.
    public var options: Options {
        get { state.withLock { $0.options } }
        set {
            state.withLock { $0.options = newValue }
            consider()
        }
    }

    // MARK: What is there

    /// Nothing is begun at present: a playing item is hungry, or `isPaused` is set.
    public var isSuspended: Bool { isPaused || loadPriorityGate.needsData }

    /// nil: nobody asked for it, or it was called off, or a player has it.
    public func status(of asset: Asset) -> Status? {
        state.withLock { $0.jobs[ObjectIdentifier(asset)] }?.status
    }

    /// Everything from now on. A reader that lags by more than 1024 loses the oldest. It ends when the
    /// preloader is released.
    public var changes: AsyncStream<Change> { fanout.makeStream() }

    // MARK: Whose turn it is

    /// Says which may go on.
    private func consider() {
        // What is decided later is also said later.
        let (begun, stopped) = state.withLock { state -> ([PreloadJob], [PreloadJob]) in
            let open = state.jobs.values.filter(\.isUnfinished).sorted { $0.place < $1.place }
            let count =
                state.isPaused || loadPriorityGate.needsData ? 0 : max(1, state.options.concurrentLoads)
            return (open.prefix(count).filter { $0.run() }, open.dropFirst(count).filter { $0.rest() })
        }
        for job in stopped { tell(job.asset, .waiting) }
        for job in begun {
            tell(job.asset, .loading)
            job.start()
        }
    }

    /// A job is over, one way or another.
    private func follow(_ job: PreloadJob) {
        let status = job.status
        if status == .handedOver {
            state.withLock { state in
                let key = ObjectIdentifier(job.asset)
                if state.jobs[key] === job { state.jobs[key] = nil }
            }
        }
        tell(job.asset, status)
        consider()
    }

    /// Called with each change, on the thread that made it; in no particular order where there are several.
    package func setChangeHandler(_ handler: (@Sendable (Change) -> Void)?) {
        state.withLock { $0.onChange = handler }
    }

    private func tell(_ asset: Asset, _ status: Status) {
        let change = Change(asset: asset, status: status)
        fanout.yield(change)
        state.withLock { $0.onChange }?(change)
    }
}
