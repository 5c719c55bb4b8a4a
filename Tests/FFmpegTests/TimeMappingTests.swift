import CFFmpeg
import MediaCore
import Testing

@testable import FFmpeg

/// The mapping between ticks and item times is exact, and safe for any values in a file.
struct TimeMappingTests {
    private func mapping(_ numerator: Int32, _ denominator: Int32, zero: MediaTime = .zero) -> TimeMapping {
        TimeMapping(timeBase: AVRational(num: numerator, den: denominator), zero: zero)
    }

    @Test func theZeroIsTakenAwayInTicks() {
        let zero = MediaTime(value: 5, timescale: 10)
        let time = mapping(1, 90_000, zero: zero).itemTime(Int64(90_000))
        #expect(time == MediaTime(value: 45_000, timescale: 90_000))
        #expect(time.timescale == 90_000)
    }

    @Test func timeBasesThatDoNotFitAreStillExact() {
        let time = mapping(1, 30_000, zero: MediaTime(value: 1, timescale: 7)).itemTime(Int64(30_000))
        #expect(time == MediaTime(value: 6, timescale: 7))
    }

    @Test(arguments: [Int64.min + 1, .min / 2, -1, 0, 1, .max / 2, .max])
    func hostileTicksDoNotTrap(_ ticks: Int64) {
        for (numerator, denominator) in [(1, Int32.max), (Int32.max, 1), (1, 1), (0, 0), (-1, -1)]
            as [(Int32, Int32)]
        {
            for zero in [
                MediaTime.zero, MediaTime(value: .max, timescale: 1),
                MediaTime(value: .min + 1, timescale: 3),
            ] {
                let mapping = mapping(numerator, denominator, zero: zero)
                _ = mapping.itemTime(ticks) as MediaTime
                _ = mapping.itemTime(Optional(ticks))
                _ = mapping.ticks(atOrBefore: MediaTime(value: ticks, timescale: 1))
                _ = mapping.duration(ticks)
            }
        }
    }

    @Test func seeksRoundDown() {
        let mapping = mapping(1, 1000)
        #expect(mapping.ticks(atOrBefore: MediaTime(value: 19_999, timescale: 10_000)) == 1999)
        #expect(mapping.ticks(atOrBefore: MediaTime(value: 2, timescale: 1)) == 2000)
        #expect(mapping.ticks(atOrBefore: MediaTime(value: -1, timescale: 3)) == -334)
    }

    @Test func gaplessCommentsAreRead() {
        #expect(AudioEndTrim.sampleCount(" 00000000 00000840 00000280 0000000000030D40 00000000") == 200_000)
        #expect(AudioEndTrim.sampleCount("rubbish") == nil)
        #expect(AudioEndTrim.sampleCount("0 0 0 FFFFFFFFFFFFFFFFFF") == nil)
    }
}

struct ThreadPolicyTests {
    private func threads(_ cores: Int, _ sharing: Int, _ width: Int, _ height: Int) -> Int {
        ThreadPolicy(cores: cores, sharing: sharing)
            .plan(requested: 0, pixelCount: width * height).count
    }

    @Test func smallPicturesAndManyPlayersUseOne() {
        #expect(threads(8, 1, 320, 180) == 1)
        #expect(threads(8, 100, 1920, 1080) == 1)
        #expect(threads(1, 1, 3840, 2160) == 1)
    }

    @Test func aPlayerAloneUsesAllCores() {
        #expect(threads(2, 1, 1920, 1080) == 2)
        #expect(threads(8, 4, 1920, 1080) == 2)
        let plan = ThreadPolicy(cores: 2, sharing: 1)
            .plan(requested: 0, pixelCount: 1920 * 1080)
        #expect(plan.count == 2)
    }

    @Test("Conversion adds a thread if there are several and no number is requested")
    func conversion() {
        func count(_ cores: Int, requested: Int = 0, maximum: Int? = nil, height: Int = 1080) -> Int {
            ThreadPolicy(cores: cores, sharing: 1)
                .plan(
                    requested: requested,
                    pixelCount: height * height,
                    maximum: maximum,
                    hasConversion: true
                )
                .count
        }
        #expect(count(2) == 3)
        #expect(count(1) == 1)
        #expect(count(2, height: 180) == 1)
        #expect(count(2, requested: 2) == 2)
        #expect(count(2, maximum: 2) == 2)
        #expect(count(64) == 16)
    }

    @Test func whatIsAskedForIsGiven() {
        let plan = ThreadPolicy(cores: 2, sharing: 1).plan(requested: 5, pixelCount: 1)
        #expect(plan.count == 5)
    }

    @Test(
        "The number of threads does not exceed the maximum and is at least one",
        arguments: [
            (0, 3, 3), (0, 100, 8), (0, 1, 1), (0, 0, 1), (0, -4, 1), (5, 2, 2), (5, 9, 5), (5, nil, 5),
            (0, nil, 8),
        ] as [(Int, Int?, Int)]
    )
    func maximum(requested: Int, maximum: Int?, expected: Int) {
        let plan = ThreadPolicy(cores: 8, sharing: 1)
            .plan(requested: requested, pixelCount: 1920 * 1080, maximum: maximum)
        #expect(plan.count == expected)
    }
}
