import FoundationEssentials
import Glibc
package import MediaCore

/// A reading of the machine's wall clock and of a player's clock at one moment.
package struct WallClockReading: Sendable {
    /// The wall-clock time in nanoseconds since 1970.
    package var wall: Int64
    /// The time on the player's clock.
    package var host: HostTime

    /// Returns the time on the player's clock that coincides with a wall-clock time, if neither clock is set meanwhile.
    package func host(at wall: Int64) -> HostTime {
        let (difference, overflow) = wall.subtractingReportingOverflow(self.wall)
        return host.advanced(by: overflow ? (wall > self.wall ? .max : .min) : difference)
    }

    /// The present wall-clock time in nanoseconds since 1970.
    package static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Reads the wall clock and another clock. The reading that takes the least time is used, because a thread may be
    /// suspended between two clocks.
    init(of clock: () -> HostTime) {
        self.init(wall: 0, host: .zero)
        var shortest = Int64.max
        for _ in 0..<3 {
            let before = clock()
            let wall = Self.now
            let span = clock().nanoseconds(since: before)
            guard span < shortest else { continue }
            shortest = span
            self = WallClockReading(wall: wall, host: before.advanced(by: span / 2))
        }
    }

    private init(wall: Int64, host: HostTime) {
        self.wall = wall
        self.host = host
    }
}
