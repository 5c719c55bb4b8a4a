/// Where on the timeline a pass of an item lies. The one way from item time to the timeline and back.
package struct PassOrigin: Hashable, Sendable {
    /// Where item time zero lies.
    package private(set) var itemZero: TimelineTime

    /// The pass whose item time `itemTime` lies at `time`.
    package init(_ itemTime: ItemTime = .zero, at time: TimelineTime = .zero) {
        itemZero = time - itemTime.nanoseconds
    }

    package func timelineTime(of time: ItemTime) -> TimelineTime { itemZero + time.nanoseconds }

    package func itemTime(of time: TimelineTime) -> ItemTime { ItemTime(nanoseconds: time - itemZero) }
}
