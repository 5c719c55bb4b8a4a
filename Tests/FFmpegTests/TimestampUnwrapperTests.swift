import MediaCore
import Testing

@testable import FFmpeg

@Suite("Timestamps that wrap around")
struct TimestampUnwrapperTests {
    /// The ticks after which timestamps wrap around.
    private static let cycle: Int64 = 1 << 33
    private static let hour: Int64 = 324_000_000
    /// A tenth of a second before the wrap.
    private static let last: Int64 = (1 << 33) - 9000

    /// Timestamps that continue at another position.
    private static let elsewhere: [Int64] = [0] + Array(repeating: last, count: 17) + [3000]
    private static let elsewhereCycles: [Int64] = Array(repeating: 0, count: 18) + [1]

    /// The timestamps of libav, and the cycles to add to each of them.
    private static let streams: [([Int64], [Int64])] = [
        ([last, 3000, last, 6000, 9000], [0, 1, 0, 1, 1]),
        // Damaged timestamps, and a track with other ones.
        ([0, last, 3000, 26 * hour, 13 * hour, 6000], [0, 0, 0, 0, 0, 0]),
        ([last, 13 * hour, 3000, 13 * hour, 6000], [0, 0, 1, 1, 1]),
        (elsewhere, elsewhereCycles),
    ]

    @Test(
        "Timestamps continue after the wrap, also if those of several tracks are interleaved",
        arguments: streams
    )
    func continues(stamps: [Int64], cycles: [Int64]) {
        var unwrapper = TimestampUnwrapper()
        let offsets = stamps.map { unwrapper.offset(of: $0) }
        #expect(offsets == cycles.map { $0 * Self.cycle })
    }

    @Test("Timestamps continue for days")
    func days() {
        var unwrapper = TimestampUnwrapper()
        // Every five minutes of four days.
        for step in Int64(0)..<1152 {
            let time = step * 27_000_000
            let stamp = time % Self.cycle
            let offset = unwrapper.offset(of: stamp)
            #expect(stamp + offset == time)
        }
    }

    /// The expected times in seconds, the timestamps of libav, and the cycles to add.
    private static let jumps: [(Int64, Int64, Int64)] = [
        (10, 900_000, 0), (95_453, 900_000, 1), (190_000, 900_000, 2), (100_000, last, 0), (360_000, hour, 4),
        (0, last, 0),
    ]

    @Test("After a jump, timestamps continue in the cycle of the expected time", arguments: jumps)
    func jump(expected: Int64, stamp: Int64, cycles: Int64) {
        var unwrapper = TimestampUnwrapper()
        unwrapper.expect(MediaTime(value: expected, timescale: 1))
        let offsets = [stamp, stamp + 3000].map { unwrapper.offset(of: $0) }
        #expect(offsets == [cycles * Self.cycle, cycles * Self.cycle])
    }

    @Test(
        "Times without a number and extreme timestamps do not trap",
        arguments: [Int64.min + 1, -1, 0, .max]
    )
    func extremes(stamp: Int64) {
        var unwrapper = TimestampUnwrapper()
        for time in [MediaTime.invalid, .negativeInfinity, MediaTime(value: .max, timescale: 1)] {
            unwrapper.expect(time)
            _ = unwrapper.offset(of: stamp)
            _ = unwrapper.offset(of: 0)
        }
    }
}
