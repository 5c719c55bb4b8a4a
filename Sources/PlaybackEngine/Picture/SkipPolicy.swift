import MediaCore

/// Which pictures to leave out at rates that the machine cannot sustain: first those that no other refers to,
/// then all but key frames. Nothing is left out between -1 and 1, nor on the virtual clock, where no picture
/// can come late.
struct SkipPolicy {
    private(set) var level = DecodeSkipping.none
    private var lateSince: HostTime?
    private var calmSince: HostTime?
    private var loweredAt: HostTime?
    private var patience = Self.shortestPatience

    /// A picture that is overdue by more shows that decoding falls behind.
    private static let late: Int64 = 100_000_000
    private static let inTime: Int64 = 20_000_000
    /// It must fall behind for so long.
    private static let endurance: Int64 = 250_000_000
    /// And be in time for so long before more is tried again; twice as long each time that this failed.
    private static let shortestPatience: Int64 = 2_000_000_000
    private static let longestPatience: Int64 = 60_000_000_000

    /// `lateness`: host nanoseconds by which the next picture is overdue.
    mutating func note(lateness: Int64, rate: Float, now: HostTime) {
        guard abs(rate) > 1 else {
            self = SkipPolicy()
            return
        }
        if lateness > Self.late {
            calmSince = nil
            let since = lateSince ?? now
            lateSince = since
            if now.nanoseconds(since: since) >= Self.endurance { raise(now) }
        } else if lateness < Self.inTime {
            lateSince = nil
            let since = calmSince ?? now
            calmSince = since
            if level > .none, now.nanoseconds(since: since) >= patience { lower(now) }
        } else {
            lateSince = nil
            calmSince = nil
        }
    }

    private mutating func raise(_ now: HostTime) {
        guard let next = DecodeSkipping(rawValue: level.rawValue + 1) else { return }
        if let loweredAt, now.nanoseconds(since: loweredAt) < patience {
            patience = min(Self.longestPatience, patience * 2)
        }
        level = next
        lateSince = now
    }

    private mutating func lower(_ now: HostTime) {
        level = DecodeSkipping(rawValue: level.rawValue - 1) ?? .none
        calmSince = now
        loweredAt = now
    }
}
