package import MediaCore

/// The timestamps of MPEG-2 systems, which have 33 bits and count 1/90000 s. They wrap around after 26.5 hours.
package enum TimestampCycle {
    /// The number of bits of a timestamp.
    package static let bitCount = 33
    /// The number of ticks per second.
    package static let timescale: Int32 = 90_000
    /// The number of ticks after which timestamps wrap around.
    package static let length: Int64 = 1 << 33

    /// Returns the ticks in a time, to within a millisecond.
    package static func ticks(_ time: MediaTime) -> Int64 { (time.nanoseconds ?? 0) / 100_000 * 9 }

    /// Returns the offset that moves a timestamp to within half a cycle of another one: whole cycles, in ticks.
    package static func offset(of stamp: Int64, near other: Int64) -> Int64 {
        other.subtractingClamped(stamp).addingClamped(length / 2) & ~(length - 1)
    }

    /// Returns the offset that moves a container time to within half a cycle of another one: whole cycles.
    package static func offset(of time: MediaTime, near other: MediaTime) -> MediaTime {
        let cycles = offset(of: ticks(time), near: ticks(other))
        return cycles == 0 ? .zero : MediaTime(value: cycles, timescale: timescale)
    }
}
