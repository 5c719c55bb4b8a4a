import MediaCore
import Testing

private func time(_ value: Int64, _ timescale: Int32) -> MediaTime {
    MediaTime(value: value, timescale: timescale)
}

@Suite struct MediaTimeConversionTests {
    /// Tenths of seconds are rounded to whole seconds by each method of CMTimeConvertScale.
    @Test(arguments: [
        // tenths, half away, toward 0, away, QuickTime, to +inf, to -inf
        [4, 0, 0, 1, 0, 1, 0],
        [5, 1, 0, 1, 0, 1, 0],
        [14, 1, 1, 2, 1, 2, 1],
        [15, 2, 1, 2, 1, 2, 1],
        [20, 2, 2, 2, 2, 2, 2],
        [-4, 0, 0, -1, -1, 0, -1],
        [-5, -1, 0, -1, -1, 0, -1],
        [-14, -1, -1, -2, -1, -1, -2],
        [-15, -2, -1, -2, -1, -1, -2],
        [0, 0, 0, 0, 0, 0, 0],
    ])
    func roundingToCoarserTicks(row: [Int64]) {
        for (method, expected) in zip(MediaTime.RoundingMethod.allCases, row.dropFirst()) {
            let converted = time(row[0], 10).rescaled(to: 1, rounding: method)
            #expect(converted.value == expected && converted.timescale == 1, "\(row[0]) \(method)")
            #expect(converted.hasBeenRounded == (row[0] % 10 != 0))
        }
        #expect(time(row[0], 10).rescaled(to: 1).value == row[1])
    }

    @Test func quickTimeRoundsAwayInFinerTicks() {
        #expect(time(1, 2).rescaled(to: 3, rounding: .quickTime).value == 2)
        #expect(time(-1, 2).rescaled(to: 3, rounding: .quickTime).value == -2)
        #expect(time(1, 3).rescaled(to: 2, rounding: .quickTime).value == 0)
        #expect(time(-1, 3).rescaled(to: 2, rounding: .quickTime).value == -1)
    }

    @Test func rescalingAtTheEdges() {
        #expect(time(1, 3).rescaled(to: 0) == .invalid && time(1, 3).rescaled(to: -90000) == .invalid)
        #expect(MediaTime.indefinite.rescaled(to: 600) == .indefinite)
        #expect(MediaTime.negativeInfinity.rescaled(to: 600) == .negativeInfinity)
        #expect(time(.max, 1).rescaled(to: 2) == .positiveInfinity)
        #expect(time(.min, 1).rescaled(to: 2) == .negativeInfinity)
        #expect(time(.min, 2).rescaled(to: 1).value == .min / 2)
        #expect(
            time(.max, 2).rescaled(to: 1).shape == "4.611686018427388e+18s (4611686018427387904/1) rounded"
        )
        #expect(time(.max, .max).rescaled(to: .max - 1, rounding: .roundTowardZero).isNumeric)
        #expect(time(7, 600).rescaled(to: 600).shape == time(7, 600).shape)
    }

    @Test func secondsBecomeTicks() {
        func make(_ seconds: Double, _ scale: Int32) -> MediaTime {
            MediaTime(seconds: seconds, preferredTimescale: scale)
        }
        #expect(make(3.2, 90000).shape == "3.2s (288000/90000)")
        #expect(make(0.29, 100).shape == "0.29s (29/100)")
        #expect(make(1.5, 1).shape == "2.0s (2/1) rounded" && make(-1.5, 1).value == -2)
        #expect(make(-0.0, 600).shape == "0.0s (0/600)")
        #expect(make(1.0 / 3, 600).shape == "0.3333333333333333s (200/600)")
        #expect(make(.nan, 600) == .invalid && make(1, 0) == .invalid && make(1, -600) == .invalid)
        #expect(make(.infinity, 600) == .positiveInfinity && make(-.infinity, 600) == .negativeInfinity)
        #expect(make(.infinity, 0) == .invalid)
        // Overflow halves the timescale; 2^62 seconds do not fit with any half.
        #expect(make(0x1p60, 600).timescale == 4 && make(0x1p60, 600).seconds == 0x1p60)
        #expect(make(0x1p62, 600).timescale == 1 && make(0x1p63, 600) == .positiveInfinity)
        #expect(make(-0x1p63, 600).shape == "-9.223372036854776e+18s (-9223372036854775808/1)")
        #expect(make(-0x1p64, 1) == .negativeInfinity)
        #expect(make(.greatestFiniteMagnitude, .max) == .positiveInfinity)
        #expect(make(.leastNonzeroMagnitude, .max).shape == "0.0s (0/2147483647) rounded")
        #expect(make(0x1p-40, .max).value == 0 && make(0x1p-31, .max).value == 1)
    }

    @Test func nanosecondsRoundAndHold() {
        #expect(time(1, 3).nanoseconds == 333_333_333 && time(2, 3).nanoseconds == 666_666_667)
        #expect(time(1, 2_000_000_000).nanoseconds == 1 && time(-1, 2_000_000_000).nanoseconds == -1)
        #expect(time(1, .max).nanoseconds == 0 && time(3, .max).nanoseconds == 1)
        #expect(time(9_223_372_036, 1).nanoseconds == 9_223_372_036_000_000_000)
        #expect(time(9_223_372_037, 1).nanoseconds == .max && time(-9_223_372_037, 1).nanoseconds == .min)
        #expect(
            time(.max, 1_000_000_000).nanoseconds == .max
                && time(.min, .max).nanoseconds == -4_294_967_298_000_000_001
        )
        #expect(time(.max, .max).nanoseconds == 4_294_967_298_000_000_000)
        #expect(MediaTime.indefinite.nanoseconds == nil && MediaTime.positiveInfinity.nanoseconds == nil)
        #expect(MediaTime(nanoseconds: 1_500_000_000) == time(3, 2))
        #expect(MediaTime(HostTime(nanoseconds: .min)).nanoseconds == .min)
    }

    /// Both ways of computing nanoseconds agree with the definition.
    @Test func nanosecondsAreNearest() {
        let property = Property(name: "nanoseconds", seed: 0x4A0)
        let failure = property.firstFailure(cases: 20_000) { random in
            let time = random.number()
            guard let nanoseconds = time.nanoseconds else { return "\(time): nil" }
            let scale = Int128(time.timescale)
            let exact = Int128(time.value) * 1_000_000_000
            let twice = 2 * exact.magnitude + scale.magnitude
            let magnitude = twice / (2 * scale.magnitude)
            let expected = exact < 0 ? -Int128(magnitude) : Int128(magnitude)
            return Int64(clamping: expected) == nanoseconds ? nil : "\(time): \(nanoseconds), not \(expected)"
        }
        #expect(failure == nil)
    }

    @Test func secondsThereAndBack() {
        let property = Property(name: "seconds", seed: 0x5EC)
        let failure = property.firstFailure(cases: 20_000) { random in
            let time = random.everydayTime()
            let back = MediaTime(seconds: time.seconds, preferredTimescale: time.timescale)
            return back.value == time.value && !back.hasBeenRounded ? nil : "\(time): \(back.shape)"
        }
        #expect(failure == nil)
    }

    @Test("The seconds of a frame's or a sample's time lead back to the same time")
    func flicks() {
        #expect(MediaTime.seconds(3) == MediaTime(value: 3, timescale: 1))
        #expect(MediaTime.seconds(-0.5) == MediaTime(value: -1, timescale: 2))
        #expect(!MediaTime.seconds(0.1).hasBeenRounded || MediaTime.seconds(0.1).seconds == 0.1)
        for (ticks, timescale) in [
            (1, 24), (1, 25), (1, 30), (1, 60), (1, 120), (1001, 24_000), (1001, 30_000), (1001, 60_000),
            (1, 44_100), (1, 48_000), (1, 90_000), (1, 1000),
        ] as [(Int64, Int32)] {
            for count in [1, 7, 1000, 123_457] as [Int64] {
                let time = MediaTime(value: count * ticks, timescale: timescale)
                #expect(MediaTime.seconds(time.seconds) == time, "\(time)")
            }
        }
        #expect(MediaTime.seconds(.nan) == .invalid)
        #expect(MediaTime.seconds(.infinity) == .positiveInfinity)
        #expect(MediaTime.seconds(1e300) == .positiveInfinity)
        #expect(MediaTime.milliseconds(1500) == MediaTime(value: 3, timescale: 2))
        #expect(MediaTime.milliseconds(.min) == MediaTime(value: .min, timescale: 1000))
    }

    @Test("A duration becomes a time in nanoseconds")
    func durations() {
        #expect(MediaTime(Duration.seconds(2)) == MediaTime(value: 2, timescale: 1))
        #expect(MediaTime(Duration.milliseconds(-1500)) == MediaTime(value: -3, timescale: 2))
        #expect(MediaTime(Duration.nanoseconds(1)) == MediaTime(nanoseconds: 1))
        #expect(MediaTime(Duration.zero) == .zero)
        #expect(!MediaTime(Duration.nanoseconds(123_456_789)).hasBeenRounded)
        let fraction = MediaTime(Duration(secondsComponent: 0, attosecondsComponent: 1_600_000_000))
        #expect(fraction == MediaTime(nanoseconds: 2) && fraction.hasBeenRounded)
        let long = MediaTime(Duration(secondsComponent: .max, attosecondsComponent: 0))
        #expect(long.seconds == Double(Int64.max))
    }
}
