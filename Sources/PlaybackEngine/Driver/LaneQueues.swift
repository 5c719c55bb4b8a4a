import DequeModule
import PlayheadBackend

/// The lanes of a `LanePool` that have work, and the decision which of them may be worked on. A value without
/// threads.
///
/// Each role has a width, the number of its lanes that are worked on at the same time. The widths are separate:
/// decoding on all cores does not delay a frame that is due, and a read that hangs does not delay decoding. Work that
/// sleeps (a read that waits for a network, a sink that waits for a pipe) is not counted, up to a limit; that many
/// more lanes of the role may be worked on.
struct LaneQueues {
    private struct Queue {
        var width: Int
        var waiting: Deque<PoolLane> = []
        var running = 0
        /// The number of running lanes whose threads were asleep at the last check.
        var asleep = 0
        /// The time since which lanes have waited for others to finish, or the time of the last check for sleeping
        /// threads.
        var blockedSince: Int64?

        var limit: Int { width + asleep }
        var canRun: Bool { !waiting.isEmpty && running < limit }

        mutating func updateBlockedSince(at now: Int64) {
            let isBlocked = !waiting.isEmpty && running >= limit && asleep < LaneQueues.maximumAsleep
            blockedSince = isBlocked ? blockedSince ?? now : nil
        }
    }

    private var queues: [Queue]

    /// Creates queues with one running lane of each role per core. Control lanes never block and are many, so one
    /// more of them may run.
    init(cores: Int) {
        queues = LaneRole.byPriority.map { Queue(width: $0 == .control ? cores + 1 : cores) }
    }

    /// The maximum number of lanes of one role that are not counted because they sleep. Beyond it, lanes wait.
    static let maximumAsleep = 128

    /// Returns the time in nanoseconds that lanes wait before sleeping threads are counted. A decoder sleeps while
    /// its own threads use the cores, so the delay is longer for decoding.
    static func sleepCheckDelay(_ role: LaneRole) -> Int64 { role == .decoding ? 50_000_000 : 5_000_000 }

    var waitingCount: Int { queues.reduce(0) { $0 + $1.waiting.count } }
    func waitingCount(_ role: LaneRole) -> Int { queues[role.rank].waiting.count }
    func limit(_ role: LaneRole) -> Int { queues[role.rank].limit }

    /// A Boolean value that indicates whether a decoder is running or ready, or a control or output lane is ready.
    var hasUrgentWork: Bool {
        queues[LaneRole.decoding.rank].running > 0
            || [LaneRole.control, .output, .decoding].contains { waitingCount($0) > 0 }
    }

    /// A Boolean value that indicates whether there is work for a thread other than the control thread.
    var canRunWorkers: Bool { queues.dropFirst().contains { $0.canRun } }
    /// The maximum number of threads, other than the control thread, that can be needed.
    var maximumWorkers: Int { queues.dropFirst().reduce(0) { $0 + max($1.limit, $1.running) } }

    /// The time at which the lane that has waited longest became ready, or `.max` if none waits.
    var oldestWaiting: Int64 { queues.reduce(.max) { min($0, $1.waiting.first?.readySince ?? .max) } }

    mutating func enqueue(_ lane: PoolLane, at now: Int64) {
        lane.readySince = now
        queues[lane.role.rank].waiting.append(lane)
        queues[lane.role.rank].updateBlockedSince(at: now)
    }

    /// Removes and returns the next lane of the role with the highest priority that may run. `finish` ends its turn.
    mutating func dequeue(_ roles: some Sequence<LaneRole>, at now: Int64) -> PoolLane? {
        for role in roles where queues[role.rank].canRun {
            queues[role.rank].running += 1
            defer { queues[role.rank].updateBlockedSince(at: now) }
            return queues[role.rank].waiting.removeFirst()
        }
        return nil
    }

    mutating func finish(_ role: LaneRole) {
        queues[role.rank].running -= 1
        queues[role.rank].asleep = min(queues[role.rank].asleep, queues[role.rank].running)
    }

    // MARK: Work that sleeps

    /// The time at which sleeping threads have to be counted, or `.max` if that is not needed.
    var nextSleepCheck: Int64 { LaneRole.byPriority.reduce(.max) { min($0, nextSleepCheck($1)) } }

    private func nextSleepCheck(_ role: LaneRole) -> Int64 {
        guard role != .control, let since = queues[role.rank].blockedSince else { return .max }
        return since + Self.sleepCheckDelay(role)
    }

    /// Returns the roles whose sleeping threads have to be counted now.
    func rolesToCheck(at now: Int64) -> [LaneRole] {
        LaneRole.byPriority.filter { nextSleepCheck($0) <= now }
    }

    /// Sets the number of running lanes of a role whose threads are asleep.
    mutating func setAsleep(_ asleep: Int, _ role: LaneRole, at now: Int64) {
        queues[role.rank].asleep = min(asleep, queues[role.rank].running, Self.maximumAsleep)
        queues[role.rank].blockedSince = nil
        queues[role.rank].updateBlockedSince(at: now)
    }
}

extension LaneRole {
    /// The roles in order of priority: control and output precede work that is done ahead.
    static let byPriority: [LaneRole] = [.control, .output, .decoding, .fileIO, .blockingIO]

    var isReading: Bool { self == .blockingIO || self == .fileIO }

    var rank: Int {
        switch self {
        case .control: 0
        case .output: 1
        case .decoding: 2
        case .fileIO: 3
        case .blockingIO: 4
        }
    }
}
