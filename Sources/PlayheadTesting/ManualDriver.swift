public import Dispatch
public import MediaCore
import PlaybackEngine
public import PlayheadBackend

/// A driver that runs a player step by step on the thread of the test.
///
/// Nothing happens and no time passes until the test runs the driver. With a seed, the order of steps that are possible
/// at the same time is random but reproducible.
public final class ManualDriver: Driver {
    private let stepped: SteppedDriver
    private let stepper: Stepper
    /// The number of work items that are queued or running on decoding lanes.
    private let decoding = Locked(0)
    /// The seed of the order of steps, or nil if the order is always the same.
    public let seed: UInt64?

    /// Creates a driver whose clock is at zero.
    ///
    /// With `settlesByItself`, a call to the player returns after everything that it makes possible at the current time
    /// has been done, including handlers and releases. `settle()` is then never needed, and the test only moves time.
    /// Use such a driver from one thread, or from one task, at a time. Do not hold a lock during a call to the player
    /// if a handler acquires the same lock.
    ///
    /// - Parameters:
    ///   - seed: The seed of the order of steps, or nil for a fixed order.
    ///   - isRealTime: Whether frames can be late, as with the clock of the machine. A script can make time pass.
    ///   - settlesByItself: Whether each call to the player takes full effect before it returns.
    public init(seed: UInt64? = nil, isRealTime: Bool = false, settlesByItself: Bool = false) {
        self.seed = seed
        self.isRealTime = isRealTime
        stepped = SteppedDriver(seed: seed)
        stepper = Stepper(stepped, isRealTime: isRealTime)
        if settlesByItself { stepped.setWorkHandler { [weak stepper] in stepper?.settleFromOutside() } }
    }

    /// The clock, a `ManualClock` that starts at zero.
    public var clock: any HostClock { stepped.clock }
    /// The current time of the clock.
    public var now: HostTime { stepped.clock.now }
    /// A Boolean value that indicates whether frames can be late.
    public let isRealTime: Bool

    /// A Boolean value that indicates whether decoding lanes have work to do. It is always false unless `isRealTime` is
    /// true.
    public var hasUrgentWork: Bool { decoding.withLock { $0 > 0 } }

    /// Creates a lane whose work runs in `step()`.
    public func makeLane(_ role: LaneRole, label: String) -> any Lane {
        let lane = stepped.makeLane(role, label: label)
        guard isRealTime, role == .decoding else { return lane }
        return CountedLane(lane) { [decoding] change in decoding.withLock { $0 += change } }
    }

    /// Creates a lane for callbacks, which run on the thread of the test too.
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

    /// Runs one step of one stage.
    ///
    /// - Returns: False if nothing can be done at the current time.
    @discardableResult
    public func step() -> Bool { stepper.step() }

    /// Runs everything that can be done at the current time.
    public func settle() { while step() {} }

    /// Advances the clock and runs everything that becomes due.
    ///
    /// - Parameter seconds: The seconds to advance the clock by.
    public func run(seconds: Double) {
        run(until: now.advanced(by: Int64(clamping: seconds * 1e9)))
    }

    /// Advances the clock to a time and runs everything that becomes due.
    ///
    /// - Parameter limit: The time to advance the clock to.
    public func run(until limit: HostTime) {
        settle()
        while stepped.advance(limit: limit) { settle() }
        stepped.manualClock.advance(to: limit)
        settle()
    }

    /// Advances the clock until a condition holds, or until no work is pending.
    ///
    /// - Parameters:
    ///   - seconds: The seconds to advance the clock by at most.
    ///   - condition: The condition, which is checked before each step.
    /// - Returns: False if the condition did not hold, and work was still pending, when the time limit was reached.
    @discardableResult
    public func run(atMost seconds: Double = 36_000, until condition: () -> Bool = { false }) -> Bool {
        let limit = now.advanced(by: Int64(clamping: seconds * 1e9))
        while true {
            while !condition(), step() {}
            if condition() { return true }
            if !stepped.advance(limit: limit) { return !stepped.hasWork }
        }
    }
}

/// A lane that reports 1 when work is enqueued and -1 when it has been done.
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
