public import Dispatch
public import MediaCore

/// Decides when lanes run: on the threads that all players of a process share, or step by step in a test or on the
/// virtual clock. What runs on the lanes is the same.
public protocol Driver: AnyObject, Sendable {
    /// What "now" is for all that runs on the lanes.
    var clock: any HostClock { get }
    /// True where time passes by itself, so that a frame can come too late.
    var isRealTime: Bool { get }
    /// Whether lanes that decode have work, or lanes that show and decide wait for a thread: what nobody waits for by the
    /// clock, still images, had better wait then. False (the default) where nothing can come too late.
    var hasUrgentWork: Bool { get }
    /// Makes a new lane at each call. `label` names it for people, in traces. Any thread.
    func makeLane(_ role: LaneRole, label: String) -> any Lane
    /// Makes a lane that runs its work on the user's dispatch queue. Where time is virtual it stands still meanwhile,
    /// so that what a callback does happens at a moment that is the same in every run.
    func makeCallbackLane(_ queue: DispatchQueue) -> any Lane
    /// Runs `work` on `lane` at `time`, or at once if that has passed.
    func schedule(at time: HostTime, on lane: any Lane, _ work: @escaping @Sendable () -> Void) -> any Wakeup
    /// Does `work`, which takes long and touches nothing that lanes touch, and then `next` on `lane`. Of one lane one
    /// after the other, in order. It may be done beside the lanes; `next` comes at a moment that hangs on nothing else.
    func compute(
        _ work: @escaping @Sendable () -> Void,
        on lane: any Lane,
        then next: @escaping @Sendable () -> Void
    )
}

extension Driver {
    public var hasUrgentWork: Bool { false }

    /// Both in one turn of the lane.
    public func compute(
        _ work: @escaping @Sendable () -> Void,
        on lane: any Lane,
        then next: @escaping @Sendable () -> Void
    ) {
        lane.enqueue {
            work()
            next()
        }
    }
}
