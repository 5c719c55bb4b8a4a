import MediaCore
import Testing

@testable import PlaybackEngine

@Suite("Time points")
struct TimePointTests {
    private func item(_ nanoseconds: Int64) -> ItemTime { ItemTime(nanoseconds: nanoseconds) }
    private func timeline(_ nanoseconds: Int64) -> TimelineTime { TimelineTime(nanoseconds: nanoseconds) }

    @Test("Points and durations add to points, points differ by durations, and points are ordered")
    func arithmetic() {
        #expect(item(7) + 5 == item(12))
        #expect(item(7) - 9 == item(-2))
        #expect(item(12) - item(7) == 5)
        #expect(item(7) - item(12) == -5)
        #expect(item(-1) < .zero && .zero < item(1))
    }

    @Test("Sums and differences are clamped")
    func ends() {
        #expect(item(.max) + 1 == item(.max))
        #expect(item(.min) + -1 == item(.min))
        #expect(item(.min) - 1 == item(.min))
        #expect(item(.max) - -1 == item(.max))
        #expect(item(0) - .min == item(.max))
        #expect(item(.max) - item(.min) == .max)
        #expect(item(.min) - item(.max) == .min)
    }

    @Test("Media time is rounded to nanoseconds, and a time that is not numeric has no item time")
    func mediaTime() {
        #expect(ItemTime(MediaTime(value: 1, timescale: 3)) == item(333_333_333))
        #expect(ItemTime(MediaTime(value: 2, timescale: 3)) == item(666_666_667))
        #expect(ItemTime(.indefinite) == nil)
        #expect(ItemTime(.positiveInfinity) == nil)
        #expect(ItemTime(nil) == nil)
        #expect(item(333_333_333).mediaTime == MediaTime(value: 333_333_333, timescale: 1_000_000_000))
    }

    @Test("A pass origin converts item time to timeline time and back")
    func origin() {
        let first = PassOrigin()
        #expect(first.timelineTime(of: item(40)) == timeline(40))
        // The next item begins at its time 15, where the first one ends.
        let next = PassOrigin(item(15), at: first.timelineTime(of: item(100)))
        #expect(next.itemZero == timeline(85))
        #expect(next.timelineTime(of: item(15)) == timeline(100))
        #expect(next.itemTime(of: timeline(100)) == item(15))
        #expect(next.itemTime(of: timeline(80)) == item(-5))
    }
}
