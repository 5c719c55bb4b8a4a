/// A point on the player's timeline, in nanoseconds. The timeline continues through the passes of a loop and the
/// items of a queue. `PassOrigin` gives the position of a pass on it.
package struct TimelineTime: TimePoint {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
}
