import MediaCore
import Testing

@Suite struct MediaTimeOrderTests {
    static let ascending: [MediaTime] = [
        .negativeInfinity,
        MediaTime(value: .min, timescale: 1),
        MediaTime(value: -1, timescale: 1),
        MediaTime(value: -1, timescale: .max),
        .zero,
        MediaTime(value: 1, timescale: .max),
        MediaTime(value: 1, timescale: 2),
        MediaTime(value: (1 << 53) - 1, timescale: 1 << 30),
        MediaTime(value: 1 << 23, timescale: 1),
        MediaTime(value: .max - 1, timescale: 3),
        MediaTime(value: .max, timescale: 3),
        MediaTime(value: .max, timescale: 1),
        .indefinite,
        .positiveInfinity,
        .invalid,
    ]

    @Test func kindsAndNumbersStandInOneOrder() {
        for (i, a) in Self.ascending.enumerated() {
            for (j, b) in Self.ascending.enumerated() {
                #expect((a < b) == (i < j), "\(a) < \(b)")
                #expect((a == b) == (i == j), "\(a) == \(b)")
                #expect((a <= b) == (i <= j), "\(a) <= \(b)")
                #expect((a >= b) == (i >= j), "\(a) >= \(b)")
            }
        }
        #expect(max(.zero, .indefinite) == .indefinite)
        #expect(min(.invalid, .positiveInfinity) == .positiveInfinity)
        #expect(Self.ascending.shuffled().sorted() == Self.ascending)
    }

    @Test func equalFractionsAreEqualAndHashAlike() {
        let halves: Set = [
            MediaTime(value: 1, timescale: 2), MediaTime(value: 2, timescale: 4),
            MediaTime(value: 45000, timescale: 90000), MediaTime(value: 300, timescale: 600),
        ]
        #expect(halves.count == 1)
        let zeros: Set = [MediaTime.zero, MediaTime(value: 0, timescale: 90000), -.zero]
        #expect(zeros.count == 1)
        #expect(Set(Self.ascending).count == Self.ascending.count)
        #expect(MediaTime(seconds: 0.51, preferredTimescale: 2) == MediaTime(value: 1, timescale: 2))
    }

    @Test func whatIsNoTimescaleMakesInvalid() {
        for scale: Int32 in [0, -1, -600, .min] {
            let time = MediaTime(value: 5, timescale: scale)
            #expect(time == .invalid && !time.isValid && !time.isNumeric)
            #expect(time.value == 0 && time.timescale == 0 && time.seconds.isNaN)
        }
    }

    @Test func kindsSayWhatTheyAre() {
        #expect(MediaTime.zero.isValid && MediaTime.zero.isNumeric && !MediaTime.zero.isIndefinite)
        #expect(MediaTime.indefinite.isValid && MediaTime.indefinite.isIndefinite)
        #expect(!MediaTime.indefinite.isNumeric && MediaTime.indefinite.seconds.isNaN)
        #expect(MediaTime.positiveInfinity.isValid && MediaTime.positiveInfinity.isPositiveInfinity)
        #expect(MediaTime.positiveInfinity.seconds == .infinity)
        #expect(MediaTime.negativeInfinity.isNegativeInfinity && !MediaTime.negativeInfinity.isNumeric)
        #expect(MediaTime.negativeInfinity.seconds == -.infinity)
        #expect(!MediaTime.invalid.isValid && MediaTime.invalid.seconds.isNaN)
    }

    @Test func descriptionsAreForPeople() {
        #expect(MediaTime(value: 48, timescale: 15).description == "3.2s (48/15)")
        #expect(MediaTime(value: -1, timescale: 2).description == "-0.5s (-1/2)")
        #expect(MediaTime.invalid.description == "invalid")
        #expect(MediaTime.indefinite.description == "indefinite")
        #expect(MediaTime.positiveInfinity.description == "+infinity")
        #expect(MediaTime.negativeInfinity.description == "-infinity")
    }

    @Test func staysSmall() {
        #expect(MemoryLayout<MediaTime>.stride == 16)
    }

    @Test func comparisonIsThatOfExactFractions() {
        let property = Property(name: "order", seed: 0x0DE5)
        let failure = property.firstFailure(cases: 40_000) { random in
            let a = random.number()
            // Half of the pairs are so close that a Double could not distinguish them.
            let b =
                random.next() % 2 == 0
                ? random.number()
                : MediaTime(value: a.value &+ Int64(random.next() % 3) &- 1, timescale: a.timescale)
                    .rescaled(to: random.timescale())
            guard b.isNumeric else { return nil }
            let expected = compareFractions(a.value, a.timescale, b.value, b.timescale)
            let actual = a < b ? -1 : (a == b ? 0 : 1)
            if actual != expected { return "\(a) and \(b): \(actual), not \(expected)" }
            if (b < a) != (expected > 0) || (b == a) != (expected == 0) {
                return "\(a) and \(b) turned round"
            }
            if expected == 0, a.hashValue != b.hashValue { return "\(a) and \(b) hash apart" }
            return nil
        }
        #expect(failure == nil)
    }

    @Test func orderIsTotal() {
        let property = Property(name: "transitivity", seed: 0x707A1)
        let failure = property.firstFailure(cases: 20_000) { random in
            let times = [random.time(), random.time(), random.time()]
            let sorted = times.sorted()
            if sorted[0] > sorted[1] || sorted[1] > sorted[2] || sorted[0] > sorted[2] { return "\(times)" }
            let ways = [times[0] < times[1], times[0] == times[1], times[0] > times[1]]
            return ways.filter { $0 }.count == 1 ? nil : "\(times[0]) and \(times[1]): \(ways)"
        }
        #expect(failure == nil)
    }

    @Test func equalTimesHashAlike() {
        let property = Property(name: "hash", seed: 0x4A54)
        let failure = property.firstFailure(cases: 20_000) { random in
            let value = random.value() >> 20
            let scale = max(1, random.timescale() >> 16)
            let factor = Int64(random.next() % 30_000) + 1
            let a = MediaTime(value: value, timescale: scale)
            let b = MediaTime(value: value * factor, timescale: Int32(clamping: Int64(scale) * factor))
            return a == b && a.hashValue == b.hashValue ? nil : "\(a) and \(b)"
        }
        #expect(failure == nil)
    }
}
