/// A point on the player's timeline, in nanoseconds. It runs on through the passes of a loop and the items of a
/// queue; `PassOrigin` tells where on it a pass lies.
package struct TimelineTime: TimePoint {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
}
