import DequeModule
import PlayheadBackend

/// Which lanes of a `LanePool` have work, and which of them may be worked on now. A value without threads.
///
/// Each role has a width: so many of its lanes are worked on at the same time. The widths are apart, so that
/// decoding on all cores keeps no frame that is due from its sink, and a read that hangs keeps nobody from
/// decoding. Work that sleeps (a read that waits for a network, a sink that waits for a pipe) does not count,
/// up to a bound: so many more lanes of that role may be worked on.
struct LaneQueues {
    private struct Queue {
        var width: Int
        var waiting: Deque<PoolLane> = []
        var running = 0
        /// How many of those running slept when somebody looked.
        var asleep = 0
        /// Since when lanes wait for others to be done with, or when somebody last looked who sleeps.
        var blockedSince: Int64?

        var limit: Int { width + asleep }
        var canRun: Bool { !waiting.isEmpty && running < limit }

        mutating func updateBlockedSince(at now: Int64) {
            let isBlocked = !waiting.isEmpty && running >= limit && asleep < LaneQueues.maximumAsleep
            blockedSince = isBlocked ? blockedSince ?? now : nil
        }
    }

    private var queues: [Queue]

    /// As many lanes of a role as the machine has cores; control lanes never block and are many: one more.
    init(cores: Int) {
        queues = LaneRole.byPriority.map { Queue(width: $0 == .control ? cores + 1 : cores) }
    }

    /// Lanes of one role that may sleep at the same time; what lies beyond waits for one to wake.
    static let maximumAsleep = 128

    /// Nanoseconds that lanes wait before somebody looks who sleeps. A decoder sleeps for its own threads, which
    /// use the cores: no hurry there.
    static func sleepCheckDelay(_ role: LaneRole) -> Int64 { role == .decoding ? 50_000_000 : 5_000_000 }

    var waitingCount: Int { queues.reduce(0) { $0 + $1.waiting.count } }
    func waitingCount(_ role: LaneRole) -> Int { queues[role.rank].waiting.count }
    func limit(_ role: LaneRole) -> Int { queues[role.rank].limit }

    /// A decoder is at work or wants to be, or what shows and decides waits.
    var hasUrgentWork: Bool {
        queues[LaneRole.decoding.rank].running > 0
            || [LaneRole.control, .output, .decoding].contains { waitingCount($0) > 0 }
    }

    /// Whether there is work for a thread other than the one for control.
    var canRunWorkers: Bool { queues.dropFirst().contains { $0.canRun } }
    /// What threads other than the one for control may be needed for.
    var maximumWorkers: Int { queues.dropFirst().reduce(0) { $0 + max($1.limit, $1.running) } }

    /// Since when the lane waits that waits longest; `.max`: none waits.
    var oldestWaiting: Int64 { queues.reduce(.max) { min($0, $1.waiting.first?.readySince ?? .max) } }

    mutating func enqueue(_ lane: PoolLane, at now: Int64) {
        lane.readySince = now
        queues[lane.role.rank].waiting.append(lane)
        queues[lane.role.rank].updateBlockedSince(at: now)
    }

    /// The next lane of the most urgent of `roles` that has one; `finish` gives its place back.
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

    /// When somebody should look who sleeps; `.max`: no need.
    var nextSleepCheck: Int64 { LaneRole.byPriority.reduce(.max) { min($0, nextSleepCheck($1)) } }

    private func nextSleepCheck(_ role: LaneRole) -> Int64 {
        guard role != .control, let since = queues[role.rank].blockedSince else { return .max }
        return since + Self.sleepCheckDelay(role)
    }

    /// Roles of which it is to be known now how many of those running sleep.
    func rolesToCheck(at now: Int64) -> [LaneRole] {
        LaneRole.byPriority.filter { nextSleepCheck($0) <= now }
    }

    /// So many of those running sleep.
    mutating func setAsleep(_ asleep: Int, _ role: LaneRole, at now: Int64) {
        queues[role.rank].asleep = min(asleep, queues[role.rank].running, Self.maximumAsleep)
        queues[role.rank].blockedSince = nil
        queues[role.rank].updateBlockedSince(at: now)
    }
}

extension LaneRole {
    /// What shows and decides goes before what works ahead.
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
