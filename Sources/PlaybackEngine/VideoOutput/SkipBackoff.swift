import MediaCore

/// How long to wait before more frames are decoded again: longer each time that it failed.
struct SkipBackoff {
    private var promised = Self.shortestPromised
    private var unknown = Self.shortestUnknown
    private var lastWasPromised = false

    private static let shortestPromised: Int64 = 500_000_000
    private static let longestPromised: Int64 = 8_000_000_000
    private static let shortestUnknown: Int64 = 2_000_000_000
    private static let longestUnknown: Int64 = 60_000_000_000

    /// `isPromised`: the load says that there is time for all of them. `since`: frames have been in time.
    mutating func isOver(isPromised: Bool, since: HostTime, at now: HostTime) -> Bool {
        let time = isPromised ? promised : unknown
        var wait = time
        if time > (isPromised ? Self.shortestPromised : Self.shortestUnknown) {
            // Players that share a machine would otherwise try together, and fail together, again and again.
            wait += time / 2 * Int64((since.nanoseconds / 1000).magnitude % 1024) / 1024
        }
        guard now.nanoseconds(since: since) >= wait else { return false }
        lastWasPromised = isPromised
        return true
    }

    mutating func failed() {
        if lastWasPromised {
            promised = min(Self.longestPromised, promised * 2)
        } else {
            unknown = min(Self.longestUnknown, unknown * 2)
        }
    }
}
