internal import MediaCore

/// A part of a resource that is being fetched, with one attempt after another until it is complete.
struct RangeRequest: Hashable, Sendable {
    let id: RangeScheduler.RequestID
    /// The offset of the next byte.
    var position: Int64
    /// The offset after the last byte, or nil for the end of the resource.
    var end: Int64?
    /// Whether the response begins with the first byte of the resource, because no range was requested or the server
    /// ignores ranges.
    var isSequential: Bool
    /// The highest position reached. It is above `position` if a request for the whole resource had to restart.
    var highestPosition: Int64
    /// The offset that a reader requested last.
    var requestedOffset: Int64
    /// A counter value that orders requests by their last use.
    var lastUse: UInt64
    /// Whether the transfer is paused because readers are behind.
    var isPaused = false
    /// The number of consecutive attempts without progress.
    var attempts = 0
    /// The number of bytes of the present attempt, and whether some of them are beyond `highestPosition`.
    var attemptByteCount: Int64 = 0
    var hasProgress = false
    /// The attempts in a row that could not reach the server.
    var unreachable = Unreachable()

    /// Consecutive attempts that could not reach the server, and the time spent between them, in nanoseconds.
    struct Unreachable: Hashable, Sendable {
        var attempts = 0
        var time: Int64 = 0
    }

    init(id: RangeScheduler.RequestID, at position: Int64, _ isSequential: Bool, _ requestedOffset: Int64) {
        self.id = id
        self.position = position
        self.isSequential = isSequential
        self.requestedOffset = requestedOffset
        highestPosition = position
        lastUse = id
    }

    /// Returns the delay before the server is tried again, in nanoseconds; 0 if it has been unreachable for `limit`.
    ///
    /// The delay doubles up to eight times the initial one: a server that restarts is found within two seconds.
    mutating func beginUnreachablePause(_ initialDelay: Int64, _ limit: Int64) -> Int64 {
        let pause = min(initialDelay << Int64(min(unreachable.attempts, 3)), limit - unreachable.time)
        unreachable.attempts += 1
        unreachable.time += max(0, pause)
        return max(0, pause)
    }

    /// Returns true if the request will deliver the byte at `offset` soon enough to wait for it.
    func covers(_ offset: Int64, skipLimit: Int64) -> Bool {
        guard offset >= position, end.map({ offset < $0 }) ?? true else { return false }
        return isSequential || offset - position <= skipLimit
    }
}
