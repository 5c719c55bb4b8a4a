public import Dispatch
public import MediaCore
import PlaybackEngine
public import PlayheadBackend

/// Runs a player on the test's own thread, step by step: nothing happens, and no time passes, unless the test
/// says so. With a seed the order among the stages is drawn from it.
public final class ManualDriver: Driver {
    private let stepped: SteppedDriver
    private let stepper: Stepper
    /// What waits for decoding lanes, or runs on them.
    private let decoding = Locked(0)
    /// What the order among the stages is drawn from; nil: it is always the same.
    public let seed: UInt64?

    /// `isRealTime`: as on the machine's clock frames can come too late, where a script makes time pass.
    ///
    /// `settlesByItself`: whatever a call to the player makes possible at the present time has been done when the call
    /// returns, handlers and a release included, so that `settle()` is never needed; only time is still moved by the test.
    /// Use such a driver from one thread, or from one task, at a time, and hold no lock of your own in calls to the
    /// player that its handlers take too.
    public init(seed: UInt64? = nil, isRealTime: Bool = false, settlesByItself: Bool = false) {
        self.seed = seed
        self.isRealTime = isRealTime
        stepped = SteppedDriver(seed: seed)
        stepper = Stepper(stepped, isRealTime: isRealTime)
        if settlesByItself { stepped.setWorkHandler { [weak stepper] in stepper?.settleFromOutside() } }
    }

    /// A `ManualClock`, which starts at zero.
    public var clock: any HostClock { stepped.clock }
    /// The clock's reading.
    public var now: HostTime { stepped.clock.now }
    /// Whether a frame can come too late: false unless the driver was made with it.
    public let isRealTime: Bool

    /// Whether decoding has something to do, where frames can come too late.
    public var hasUrgentWork: Bool { decoding.withLock { $0 > 0 } }

    /// A lane whose work waits for `step()`.
    public func makeLane(_ role: LaneRole, label: String) -> any Lane {
        let lane = stepped.makeLane(role, label: label)
        guard isRealTime, role == .decoding else { return lane }
        return CountedLane(lane) { [decoding] change in decoding.withLock { $0 += change } }
    }

    /// Callbacks run on the test's thread too.
    public func makeCallbackLane(_ queue: DispatchQueue) -> any Lane {
        stepped.makeLane(.control, label: "callbacks")
    }

    public func schedule(
        at time: HostTime,
        on lane: any Lane,
        _ work: @escaping @Sendable () -> Void
    ) -> any Wakeup {
        stepped.schedule(at: time, on: lane, work)
    }

    /// One step of one stage. False: nothing can be done at the present time.
    @discardableResult
    public func step() -> Bool { stepper.step() }

    /// Everything that can be done at the present time.
    public func settle() { while step() {} }

    /// Lets time pass up to `seconds` from now, doing everything that comes due.
    public func run(seconds: Double) {
        run(until: now.advanced(by: Int64(seconds * 1e9)))
    }

    /// Lets time pass up to `limit`, doing everything that comes due.
    public func run(until limit: HostTime) {
        settle()
        while stepped.advance(limit: limit) { settle() }
        stepped.manualClock.advance(to: limit)
        settle()
    }

    /// Until nobody waits for anything any more, or `condition` holds. False: `seconds` were not enough.
    @discardableResult
    public func run(atMost seconds: Double = 36_000, until condition: () -> Bool = { false }) -> Bool {
        let limit = now.advanced(by: Int64(seconds * 1e9))
        while true {
            while !condition(), step() {}
            if condition() { return true }
            if !stepped.advance(limit: limit) { return !stepped.hasWork }
        }
    }
}

/// Tells when work comes to another lane (1), and when it is done (-1).
private final class CountedLane: Lane {
    private let inner: any Lane
    private let count: @Sendable (Int) -> Void

    init(_ inner: any Lane, _ count: @escaping @Sendable (Int) -> Void) {
        self.inner = inner
        self.count = count
    }

    func enqueue(_ work: @escaping @Sendable () -> Void) {
        count(1)
        inner.enqueue { [count] in
            work()
            count(-1)
        }
    }
}
