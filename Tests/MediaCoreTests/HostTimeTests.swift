import MediaCore
import Testing

@Suite struct HostTimeTests {
    @Test func advancingHoldsAtTheEnds() {
        #expect(HostTime.zero.advanced(by: 5).nanoseconds == 5)
        #expect(HostTime(nanoseconds: 7).advanced(by: -9).nanoseconds == -2)
        #expect(HostTime.distantFuture.advanced(by: 1) == .distantFuture)
        #expect(HostTime(nanoseconds: .min).advanced(by: -1).nanoseconds == .min)
        #expect(HostTime(nanoseconds: .min).advanced(by: .max).nanoseconds == -1)
    }

    @Test func differencesHoldAtTheEnds() {
        #expect(HostTime(nanoseconds: 9).nanoseconds(since: HostTime(nanoseconds: 4)) == 5)
        #expect(HostTime(nanoseconds: 4).nanoseconds(since: HostTime(nanoseconds: 9)) == -5)
        let (first, last) = (HostTime(nanoseconds: .min), HostTime.distantFuture)
        #expect(last.nanoseconds(since: first) == .max && first.nanoseconds(since: last) == .min)
        #expect(first < .zero && .zero < last)
    }
}
