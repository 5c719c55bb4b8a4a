import CoreMedia
import Testing

@Suite("CMTime")
struct CMTimeTests {
    /// A time and how a table names it.
    private static let kinds: [(String, CMTime)] = [
        ("-inf", .negativeInfinity), ("-1", CMTime(value: -2, timescale: 2)), ("0", .zero),
        ("1", CMTime(value: 600, timescale: 600)), ("indefinite", .indefinite), ("+inf", .positiveInfinity),
        ("invalid", .invalid),
    ]

    private func name(_ time: CMTime) -> String {
        if !time.isValid { return "invalid" }
        if time.isIndefinite { return "indefinite" }
        if time.isPositiveInfinity { return "+inf" }
        if time.isNegativeInfinity { return "-inf" }
        return "\(time.value)/\(time.timescale)" + (time.epoch == 0 ? "" : "@\(time.epoch)")
            + (time.hasBeenRounded ? "~" : "")
    }

    private func time(_ value: Int64, _ scale: Int32, epoch: Int64 = 0) -> CMTime {
        CMTimeMakeWithEpoch(value: value, timescale: scale, epoch: epoch)
    }

    @Test("The layout is that of the C structure: 24 bytes in the order value, timescale, flags, epoch")
    func layout() {
        #expect(MemoryLayout<CMTime>.size == 24)
        #expect(MemoryLayout<CMTime>.offset(of: \.timescale) == 8)
        #expect(MemoryLayout<CMTime>.offset(of: \.flags) == 12)
        #expect(MemoryLayout<CMTime>.offset(of: \.epoch) == 16)
        #expect(MemoryLayout<CMTimeRange>.size == 48)
        #expect(MemoryLayout<CMTimeMapping>.size == 96)
    }

    @Test("All fields can be changed, and the kind follows the flags")
    func fields() {
        var time = CMTime()
        #expect(!time.isValid && time == .invalid && time.flags == [] && time.timescale == 0)
        time.value = 3
        time.timescale = 2
        #expect(!time.isNumeric)
        time.flags = .valid
        #expect(time.isNumeric && time.seconds == 1.5)
        time.flags.insert(.hasBeenRounded)
        #expect(time.hasBeenRounded && time == CMTime(value: 3, timescale: 2))
        time.flags.insert(.indefinite)
        #expect(time.isIndefinite && !time.isNumeric && !time.hasBeenRounded && time.seconds.isNaN)
        time = CMTime(value: 1, timescale: 0, flags: .valid, epoch: 0)
        #expect(time.seconds.isNaN && time + .zero == .invalid && time == .invalid)
        #expect(CMTime(value: 1, timescale: -5) == .invalid)
        #expect(CMTimeMake(value: 1, timescale: 0) == .invalid)
        #expect(CMTimeMakeWithEpoch(value: 1, timescale: 0, epoch: 3).epoch == 0)
    }

    @Test("The order is negative infinity, numbers, indefinite, positive infinity, invalid")
    func order() {
        for (i, a) in Self.kinds.enumerated() {
            for (j, b) in Self.kinds.enumerated() {
                let expected: Int32 = i < j ? -1 : i > j ? 1 : 0
                #expect(CMTimeCompare(a.1, b.1) == expected, "\(a.0) and \(b.0)")
                #expect((a.1 < b.1) == (i < j) && (a.1 == b.1) == (i == j), "\(a.0) and \(b.0)")
            }
        }
        #expect(Self.kinds.map(\.1).shuffled().sorted() == Self.kinds.map(\.1))
    }

    @Test("Times of a higher epoch are later, and times are equal and hash alike in every timescale")
    func epochsInOrder() {
        #expect(CMTimeCompare(time(1000, 1, epoch: 1), time(1, 1, epoch: 2)) == -1)
        #expect(CMTimeCompare(time(1, 1, epoch: 2), time(1000, 1, epoch: 1)) == 1)
        #expect(time(1, 1, epoch: 1) != time(1, 1))
        #expect(time(1, 1, epoch: -1) < time(0, 1))
        #expect(time(1, 2, epoch: 3) == time(300, 600, epoch: 3))
        let times: Set = [time(1, 2), time(300, 600), time(1, 2, epoch: 1), .invalid, .indefinite, .invalid]
        #expect(times.count == 4)
        #expect(CMTimeMinimum(time(1, 2), time(1, 3)) == time(1, 3))
        #expect(CMTimeMaximum(time(9, 2), time(1, 3, epoch: 1)) == time(1, 3, epoch: 1))
    }

    @Test("Sums and differences of times that are not numeric")
    func sumsWithoutNumbers() {
        let sums = [
            "-inf": ["-inf", "-inf", "-inf", "-inf", "-inf", "invalid", "invalid"],
            "1": ["-inf", "0/2", "600/600", "1200/600", "indefinite", "+inf", "invalid"],
            "indefinite": [
                "-inf", "indefinite", "indefinite", "indefinite", "indefinite", "+inf", "invalid",
            ],
            "+inf": ["invalid", "+inf", "+inf", "+inf", "+inf", "+inf", "invalid"],
            "invalid": Array(repeating: "invalid", count: 7),
        ]
        for (first, a) in Self.kinds {
            guard let row = sums[first] else { continue }
            for ((second, b), expected) in zip(Self.kinds, row) {
                let sum = a + b
                if expected == "0/2" {
                    #expect(sum == .zero)
                } else {
                    #expect(name(sum) == expected, "\(first) + \(second)")
                }
            }
        }
        #expect(name(.positiveInfinity - .positiveInfinity) == "invalid")
        #expect(name(.positiveInfinity - .negativeInfinity) == "+inf")
        #expect(name(time(1, 1) - .positiveInfinity) == "-inf")
        #expect(name(time(1, 1) - .indefinite) == "indefinite")
    }

    @Test("The timescale of a sum is the least common multiple, limited to the greatest timescale")
    func timescales() {
        #expect(name(time(1, 2) + time(1, 2)) == "2/2")
        #expect(name(time(1, 2) + time(1, 3)) == "5/6")
        #expect(name(time(1, 600) + time(1, 90_000)) == "151/90000")
        #expect(name(time(1, 600) - time(1, 90_000)) == "149/90000")
        let prime: Int32 = 2_147_483_629
        let sum = time(1, prime) + time(1, 1_000_000_007)
        #expect(sum.timescale == .max && sum.hasBeenRounded && sum.value == 3)
        #expect(name(time(.max, 2) + time(.max, 2)) == "\(Int64.max)/1")
        #expect(name(time(.max, 1) + time(1, 1)) == "+inf")
        #expect(name(time(.min, 1) - time(1, 1)) == "-inf")
    }

    @Test("A result is marked as rounded if an operand is")
    func roundedOperands() {
        var rounded = time(1, 2)
        rounded.flags.insert(.hasBeenRounded)
        #expect(name(rounded + time(1, 2)) == "2/2~")
        #expect(name(time(1, 2) - rounded) == "0/2~")
        #expect(name(CMTimeMultiply(rounded, multiplier: 3)) == "3/2~")
        #expect(name(CMTimeConvertScale(rounded, timescale: 4, method: .default)) == "2/4~")
        #expect(name(CMTimeAbsoluteValue(rounded)) == "1/2~")
        #expect(name(rounded + .indefinite) == "indefinite")
    }

    @Test("Epochs: a duration can be added to any time, and times of different epochs cannot be added")
    func epochs() {
        #expect(name(time(1, 1, epoch: 2) + time(1, 1)) == "2/1@2")
        #expect(name(time(1, 1) + time(1, 1, epoch: 2)) == "2/1@2")
        #expect(name(time(5, 1, epoch: 2) - time(1, 1, epoch: 2)) == "4/1")
        #expect(name(time(5, 1, epoch: 2) + time(1, 1, epoch: 2)) == "6/1")
        #expect(name(time(5, 1, epoch: 2) - time(1, 1, epoch: 3)) == "invalid")
        #expect(name(time(5, 1, epoch: 2) + .positiveInfinity) == "+inf")
        #expect(name(CMTimeMultiply(time(5, 1, epoch: 2), multiplier: 2)) == "10/1@2")
        #expect(name(CMTimeConvertScale(time(5, 1, epoch: 2), timescale: 2, method: .default)) == "10/2@2")
    }

    @Test("Each rounding method", arguments: CMTimeRoundingMethod.allCases)
    func roundingMethods(method: CMTimeRoundingMethod) {
        // 1.5 and -1.5 to seconds, 1/3 to halves, -1/5 to seconds.
        let expected: [Int64] =
            switch method {
            case .roundHalfAwayFromZero: [2, -2, 1, 0]
            case .roundTowardZero: [1, -1, 0, 0]
            case .roundAwayFromZero: [2, -2, 1, -1]
            case .quickTime: [1, -1, 0, -1]
            case .roundTowardPositiveInfinity: [2, -1, 1, 0]
            case .roundTowardNegativeInfinity: [1, -2, 0, -1]
            }
        let results = [(time(3, 2), Int32(1)), (time(-3, 2), 1), (time(1, 3), 2), (time(-1, 5), 1)].map {
            CMTimeConvertScale($0.0, timescale: $0.1, method: method)
        }
        #expect(results.map(\.value) == expected)
        #expect(results.filter(\.hasBeenRounded).count == 4)
        #expect(!CMTimeConvertScale(time(3, 2), timescale: 4, method: method).hasBeenRounded)
        #expect(CMTimeConvertScale(time(3, 2), timescale: 0, method: method) == .invalid)
        #expect(CMTimeConvertScale(.indefinite, timescale: 7, method: method) == .indefinite)
        #expect(CMTimeConvertScale(time(.max, 1), timescale: 600, method: method) == .positiveInfinity)
    }

    @Test("Seconds to times")
    func seconds() {
        let table: [(Double, Int32, String)] = [
            (1.5, 600, "900/600"), (0.1, 600, "60/600"), (1.0 / 3, 600, "200/600"), (0.0001, 600, "0/600~"),
            (-2.5, 2, "-5/2"), (.nan, 600, "invalid"), (1, 0, "invalid"), (1, -1, "invalid"),
            (.infinity, 600, "+inf"), (-.infinity, 600, "-inf"), (1e300, 1, "+inf"), (0, 1, "0/1"),
        ]
        for (seconds, scale, expected) in table {
            let made = CMTimeMakeWithSeconds(seconds, preferredTimescale: scale)
            #expect(name(made) == expected, "\(seconds) at \(scale)")
            #expect(CMTimeGetSeconds(made).isNaN == (seconds.isNaN || scale <= 0))
        }
        #expect(CMTimeGetSeconds(.positiveInfinity) == .infinity && CMTimeGetSeconds(.indefinite).isNaN)
    }

    @Test("Products")
    func products() {
        #expect(name(CMTimeMultiply(time(3, 2), multiplier: -4)) == "-12/2")
        #expect(name(CMTimeMultiply(.positiveInfinity, multiplier: -1)) == "-inf")
        #expect(name(CMTimeMultiply(.positiveInfinity, multiplier: 0)) == "invalid")
        #expect(name(CMTimeMultiply(time(.max, 1), multiplier: 2)) == "+inf")
        #expect(CMTimeMultiplyByFloat64(time(1, 1), multiplier: 0.25).seconds == 0.25)
        #expect(CMTimeMultiplyByFloat64(time(1, 1), multiplier: .nan) == .invalid)
        #expect(CMTimeMultiplyByRatio(time(1, 1), multiplier: 1, divisor: 3) == time(1, 3))
        #expect(name(CMTimeMultiplyByRatio(time(1, 1), multiplier: 1, divisor: 0)) == "+inf")
        #expect(name(CMTimeMultiplyByRatio(time(0, 1), multiplier: 1, divisor: 0)) == "invalid")
        #expect(name(CMTimeAbsoluteValue(time(-3, 2))) == "3/2")
        #expect(name(CMTimeAbsoluteValue(.negativeInfinity)) == "+inf")
    }

    @Test(
        "Ranges: the end is excluded, and ranges with a negative duration or one with an epoch are not valid"
    )
    func ranges() {
        let range = CMTimeRangeMake(start: time(1, 1), duration: time(3, 2))
        #expect(range.end == time(5, 2) && range.isValid && !range.isEmpty)
        #expect(range.containsTime(time(1, 1)) && !range.containsTime(time(5, 2)))
        #expect(!range.containsTime(time(2, 1, epoch: 1)))
        #expect(CMTimeRangeEqual(range, CMTimeRangeFromTimeToTime(start: time(1, 1), end: time(5, 2))))
        #expect(!CMTimeRange(start: .zero, duration: time(-1, 1)).isValid)
        #expect(!CMTimeRange(start: .zero, duration: time(1, 1, epoch: 1)).isValid)
        #expect(!CMTimeRange().isValid && CMTimeRange.zero.isEmpty)
        let other = CMTimeRange(start: time(2, 1), duration: time(2, 1))
        #expect(range.intersection(other) == CMTimeRange(start: time(2, 1), duration: time(1, 2)))
        #expect(range.union(other) == CMTimeRange(start: time(1, 1), duration: time(3, 1)))
        #expect(range.intersection(CMTimeRange(start: time(7, 1), duration: time(1, 1))) == .zero)
        #expect(range.union(.invalid) == .invalid)
        #expect(range.containsTimeRange(CMTimeRange(start: time(3, 2), duration: time(1, 1))))
        #expect(CMTimeRange(start: .negativeInfinity, duration: .positiveInfinity).end == .positiveInfinity)
        let inEpoch = CMTimeRange(start: time(1, 1, epoch: 4), end: time(3, 1, epoch: 4))
        #expect(inEpoch.isValid && inEpoch.duration.epoch == 0 && inEpoch.containsTime(time(2, 1, epoch: 4)))
        #expect(CMTimeRange(start: time(1, 1, epoch: 4), end: time(3, 1, epoch: 5)).isValid == false)
    }

    @Test("Clamping, folding and mapping")
    func mapping() {
        let range = CMTimeRange(start: time(10, 1), duration: time(4, 1))
        #expect(CMTimeClampToRange(time(3, 1), range: range) == time(10, 1))
        #expect(CMTimeClampToRange(time(30, 1), range: range) == time(14, 1))
        #expect(CMTimeClampToRange(.invalid, range: range) == .invalid)
        #expect(CMTimeFoldIntoRange(time(15, 1), foldRange: range) == time(11, 1))
        #expect(CMTimeFoldIntoRange(time(14, 1), foldRange: range) == time(10, 1))
        #expect(CMTimeFoldIntoRange(time(5, 1), foldRange: range) == time(13, 1))
        #expect(CMTimeFoldIntoRange(time(5, 1, epoch: 1), foldRange: range) == .invalid)
        let double = CMTimeRange(start: .zero, duration: time(8, 1))
        #expect(CMTimeMapTimeFromRangeToRange(time(11, 1), fromRange: range, toRange: double) == time(2, 1))
        #expect(
            CMTimeMapDurationFromRangeToRange(time(1, 1), fromRange: range, toRange: double) == time(2, 1)
        )
        #expect(CMTimeMapTimeFromRangeToRange(time(1, 1), fromRange: .zero, toRange: double) == .invalid)
        #expect(
            CMTimeMapDurationFromRangeToRange(time(1, 1, epoch: 1), fromRange: range, toRange: double)
                == .invalid
        )
        let empty = CMTimeRange(start: time(3, 1), duration: .zero)
        #expect(CMTimeClampToRange(time(3, 1), range: empty) == .invalid)
        #expect(CMTimeMapTimeFromRangeToRange(time(11, 1), fromRange: range, toRange: empty) == .invalid)
        #expect(CMTimeMapDurationFromRangeToRange(time(1, 1), fromRange: range, toRange: empty) == .invalid)
        let endless = CMTimeRange(start: time(10, 1, epoch: 2), duration: .positiveInfinity)
        let other = CMTimeRange(start: time(20, 1), duration: .positiveInfinity)
        #expect(
            CMTimeMapTimeFromRangeToRange(time(7, 1, epoch: 2), fromRange: endless, toRange: other)
                == time(17, 1)
        )
        #expect(CMTimeMapTimeFromRangeToRange(time(7, 1), fromRange: endless, toRange: other) == .invalid)
        #expect(CMTimeMapTimeFromRangeToRange(.indefinite, fromRange: other, toRange: endless) == .invalid)
        #expect(CMTimeMapTimeFromRangeToRange(time(21, 1), fromRange: other, toRange: range) == .invalid)
        #expect(
            CMTimeMapDurationFromRangeToRange(time(3, 1), fromRange: other, toRange: endless) == time(3, 1)
        )
        #expect(
            CMTimeMappingMakeEmpty(target: range).isEmpty && CMTimeMappingMakeEmpty(target: range).isValid
        )
        #expect(!CMTimeMappingMake(source: range, target: double).isEmpty && !CMTimeMapping().isValid)
    }

    @Test("No operation traps, and numeric results are in order, for random operands", arguments: 0..<4)
    func random(seed: Int) {
        var generator = SplitMix(state: UInt64(seed) &* 0x9e37_79b9 &+ 1)
        func any() -> CMTime {
            let values: [Int64] = [0, 1, -1, .max, .min, Int64(bitPattern: generator.next())]
            let scales: [Int32] = [0, -1, 1, 600, 90_000, .max, Int32(truncatingIfNeeded: generator.next())]
            return CMTime(
                value: values.randomElement(using: &generator)!,
                timescale: scales.randomElement(using: &generator)!,
                flags: CMTimeFlags(
                    rawValue: UInt32(generator.next() % 32) | (generator.next() % 4 == 0 ? 0 : 1)
                ),
                epoch: [0, 0, 1, -1, .max].randomElement(using: &generator)!
            )
        }
        for _ in 0..<2000 {
            let (a, b, c) = (any(), any(), any())
            #expect(CMTimeCompare(a, b) == -CMTimeCompare(b, a))
            if a <= b, b <= c { #expect(a <= c) }
            let range = CMTimeRange(start: a, duration: b)
            _ = (a + b, a - b, CMTimeMultiply(a, multiplier: -7), CMTimeMultiplyByFloat64(a, multiplier: 1e9))
            _ = (
                CMTimeMultiplyByRatio(a, multiplier: .min, divisor: -1), range.end, range.description,
                a.description
            )
            _ = (CMTimeClampToRange(c, range: range), CMTimeFoldIntoRange(c, foldRange: range))
            _ = (
                range.union(CMTimeRange(start: b, end: c)), range.intersection(CMTimeRange(start: b, end: c))
            )
            if a.isNumeric, b.isNumeric, (a + b).isNumeric, a.epoch == b.epoch {
                #expect((a + b).epoch == 0 && a + b == b + a)
            }
        }
    }

    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var z = state
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return z ^ (z >> 31)
        }
    }

    @Test("Descriptions")
    func descriptions() {
        #expect(CMTime(value: 3, timescale: 2).description == "{3/2 = 1.500}")
        #expect(CMTime(value: -1, timescale: 20).description == "{-1/20 = -0.050}")
        #expect(CMTime.zero.description == "{0/1 = 0.000}")
        #expect(CMTime.indefinite.description == "{INDEFINITE}")
        #expect(
            CMTimeMakeWithSeconds(0.0001, preferredTimescale: 600).description == "{0/600 = 0.000, rounded}"
        )
        #expect(CMTimeRange.zero.description == "{{0/1 = 0.000}, {0/1 = 0.000}}")
    }
}
