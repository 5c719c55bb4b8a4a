public import Dispatch
public import MediaCore

/// Decides when lanes run: on the threads that all players of a process share, or step by step in a test or on
/// the virtual clock. The work on the lanes is the same in each case.
///
/// All members may be called on any thread.
public protocol Driver: AnyObject, Sendable {
    /// The clock that all work on the lanes uses.
    var clock: any HostClock { get }
    /// Whether time passes on its own, so that a frame can be late.
    var isRealTime: Bool { get }
    /// Whether decoding lanes have work, or output and control lanes wait for a thread.
    ///
    /// Work without a deadline, such as still images, should wait meanwhile. The default is false, for drivers
    /// on which nothing can be late.
    var hasUrgentWork: Bool { get }
    /// Whether no time passes while a lane reads, so that a read waits for bytes instead of being repeated later.
    ///
    /// The data that is read then does not depend on the speed of a network. The default is false.
    var stopsTimeDuringReads: Bool { get }
    /// Whether the lanes run on the threads that all drivers of this kind share in the process.
    ///
    /// Playback of all these drivers has priority over their preloading. The default is false.
    var sharesThreads: Bool { get }
    /// The error with which the system refused to create a thread, so that nothing runs yet, or nil.
    ///
    /// The default is nil.
    var refusal: MediaError? { get }
    /// Creates a new lane.
    ///
    /// - Parameters:
    ///   - role: The kind of work that the lane runs.
    ///   - label: A name for traces.
    func makeLane(_ role: LaneRole, label: String) -> any Lane
    /// Creates a lane that runs its work on a dispatch queue of the application.
    ///
    /// A virtual clock stops while that work runs, so that its effects occur at the same time in every run.
    ///
    /// - Parameter queue: The queue to run the work on.
    func makeCallbackLane(_ queue: DispatchQueue) -> any Lane
    /// Runs work on a lane at a given time, or at once if that time has passed.
    ///
    /// - Parameters:
    ///   - time: The host time at which the work becomes due.
    ///   - lane: The lane to run on.
    ///   - work: The work to run.
    /// - Returns: A handle to cancel the work before it starts.
    func schedule(at time: HostTime, on lane: any Lane, _ work: @escaping @Sendable () -> Void) -> any Wakeup
    /// Runs a long computation off the lane, and then `next` on it.
    ///
    /// The calls for one lane are carried out one after the other, in order. The time at which `next` runs does
    /// not depend on how long `work` takes on the machine.
    ///
    /// - Parameters:
    ///   - work: The computation. It must not access state that belongs to a lane.
    ///   - lane: The lane that orders the calls and runs `next`.
    ///   - next: The work to run on the lane afterwards.
    func compute(
        _ work: @escaping @Sendable () -> Void,
        on lane: any Lane,
        then next: @escaping @Sendable () -> Void
    )
}

extension Driver {
    public var hasUrgentWork: Bool { false }
    public var stopsTimeDuringReads: Bool { false }
    public var sharesThreads: Bool { false }
    public var refusal: MediaError? { nil }

    /// Runs both closures in one turn of the lane.
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
