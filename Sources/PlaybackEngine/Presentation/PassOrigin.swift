/// The position of an item's pass on the timeline. All conversions between item time and timeline time use it.
package struct PassOrigin: Hashable, Sendable {
    /// The timeline time of item time zero.
    package private(set) var itemZero: TimelineTime

    /// Creates the origin of a pass whose item time `itemTime` coincides with `time`.
    package init(_ itemTime: ItemTime = .zero, at time: TimelineTime = .zero) {
        itemZero = time - itemTime.nanoseconds
    }

    /// Moves the pass by a number of nanoseconds of timeline time.
    mutating func move(by nanoseconds: Int64) { itemZero = itemZero + nanoseconds }

    package func timelineTime(of time: ItemTime) -> TimelineTime { itemZero + time.nanoseconds }

    package func itemTime(of time: TimelineTime) -> ItemTime { ItemTime(nanoseconds: time - itemZero) }
}
