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

    @Test func durationsAreAddedAndSubtracted() {
        let time = HostTime(nanoseconds: 5_000_000_000)
        #expect(time + .milliseconds(1500) == HostTime(nanoseconds: 6_500_000_000))
        #expect(time - .seconds(7) == HostTime(nanoseconds: -2_000_000_000))
        #expect(time - HostTime(nanoseconds: 3_000_000_000) == .seconds(2))
        #expect(HostTime.distantFuture + .seconds(1) == .distantFuture)
        #expect(HostTime.zero + .seconds(Int64.max) == .distantFuture)
        #expect(HostTime.zero - .seconds(Int64.max) == HostTime(nanoseconds: .min))
        // The duration between two readings is not clamped.
        let (first, last) = (HostTime(nanoseconds: .min), HostTime.distantFuture)
        #expect(last - first > .nanoseconds(Int64.max) && first - last < .nanoseconds(Int64.min))
        #expect(first + (last - first) == HostTime(nanoseconds: -1))
    }

    @Test(
        arguments: [
            (.zero, 0, 0), (.nanoseconds(-1), -1, -1e-9), (.milliseconds(1500), 1_500_000_000, 1.5),
            (Duration(secondsComponent: 0, attosecondsComponent: 1_999_999_999), 1, 1.999999999e-9),
            (Duration(secondsComponent: 0, attosecondsComponent: -1_999_999_999), -1, -1.999999999e-9),
            (.seconds(Int64.max), .max, 9.223372036854775807e18),
            (.seconds(Int64.min), .min, -9.223372036854775808e18),
            (.nanoseconds(Int64.max), .max, 9.223372036854775807e9),
            (.nanoseconds(Int64.min), .min, -9.223372036854775808e9),
        ] as [(Duration, Int64, Double)]
    )
    func durationsInNanosecondsAndSeconds(duration: Duration, nanoseconds: Int64, seconds: Double) {
        #expect(duration.nanoseconds == nanoseconds)
        #expect(abs(duration.seconds - seconds) <= abs(seconds) * 1e-15)
    }
}
