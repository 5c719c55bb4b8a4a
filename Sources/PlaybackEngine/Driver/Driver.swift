public import Dispatch
public import MediaCore

/// Runs closures one at a time, in the order in which they were handed in.
public protocol Lane: AnyObject, Sendable {
    /// Runs `work` behind all that was handed in before. Returns at once; any thread.
    func enqueue(_ work: @escaping @Sendable () -> Void)
}

/// What a lane is for. Names, priorities and, on the virtual clock, the order of turns hang on it.
public enum LaneRole: Hashable, Sendable {
    /// The player's own: state, timeline, decisions. Never blocks.
    case control
    /// Demuxing. The one place where reading may block.
    case loading
    /// Decoders, audio and video in turn. Never blocks on I/O.
    case decoding
    /// One layer's sinks, or the audio sink.
    case presenting
}

/// Something that was scheduled and can be called off.
public protocol Wakeup: AnyObject, Sendable {
    /// After this the work does not start any more, unless it already has.
    func cancel()
}

/// Decides when the stages run: on dispatch queues in production, step by step in a test or on the virtual
/// clock. The stages are the same.
public protocol Driver: AnyObject, Sendable {
    /// What "now" is for all that runs on the lanes.
    var clock: any HostClock { get }
    /// True where time passes by itself, so that a frame can come too late.
    var isRealTime: Bool { get }
    /// A lane of its own for each call. `label` names it for people, in traces. Any thread.
    func makeLane(_ role: LaneRole, label: String) -> any Lane
    /// Runs what is handed in on a queue of the user's. Where time is virtual it stands still meanwhile, so
    /// that what a callback does happens at a moment that is the same in every run.
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
