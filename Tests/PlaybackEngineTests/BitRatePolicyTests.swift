import MediaCore
import Testing

@testable import PlaybackEngine

// Rule: variants
@Suite("Bit rate policy")
struct BitRatePolicyTests {
    private static func variants(_ rates: [Double]) -> [Variant] {
        rates.map { Variant(peakBitRate: $0, size: .zero, codecs: [], trackIDs: []) }
    }

    private static func situation(
        _ throughput: Double?,
        ahead: Double,
        isFull: Bool = false,
        rate: Float = 1,
        at seconds: Double = 0
    ) -> BitRatePolicy.Situation {
        BitRatePolicy.Situation(
            throughput: throughput,
            ahead: Int64(ahead * 1e9),
            isFull: isFull,
            rate: rate,
            host: HostTime(nanoseconds: Int64(seconds * 1e9))
        )
    }

    @Test(
        "The limit starts at the playlist's first variant, or at what a known throughput allows",
        arguments: [
            ([300, 100, 900], nil, 300), ([300, 100, 900], 1000, 300), ([300, 100, 900], 1286, 900),
            ([300, 100, 900], 10, 100), ([0, 0], nil, 0), ([], nil, 0), ([0, 100], 1000, 100),
        ] as [([Double], Double?, Double)]
    )
    func start(_ rates: [Double], _ throughput: Double?, _ limit: Double) {
        #expect(BitRatePolicy(Self.variants(rates), throughput: throughput).limit == limit)
    }

    @Test(
        "Reading in a later pass of a loop counts as a full buffer",
        arguments: [(10.0, 300.0), (2000, 900)]
    )
    func loop(_ throughput: Double, _ limit: Double) {
        var policy = BitRatePolicy(Self.variants([300, 100, 900]))
        var situation = Self.situation(throughput, ahead: 0)
        situation.ahead = .max
        #expect(policy.update(situation) == (limit != 300))
        #expect(policy.limit == limit)
    }

    /// A situation and the limit that follows from 300, with variants of 100, 300 and 900 bits per second.
    struct Row: Sendable {
        var throughput: Double?
        var ahead: Double
        var isFull = false
        var rate: Float = 1
        var limit: Double
    }

    @Test(
        "The limit falls with a low buffer, rises with a high one, and is at most 70 % of the throughput",
        arguments: [
            // The throughput is unknown.
            Row(throughput: nil, ahead: 0, limit: 300), Row(throughput: nil, ahead: 20, limit: 300),
            // The throughput fits the current limit.
            Row(throughput: 500, ahead: 0, limit: 300), Row(throughput: 500, ahead: 20, limit: 300),
            Row(throughput: 429, ahead: 0, limit: 300),
            // A lower throughput lowers the limit only if the buffer is low.
            Row(throughput: 428, ahead: 4.9, limit: 100), Row(throughput: 428, ahead: 5, limit: 300),
            Row(throughput: 10, ahead: 4.9, limit: 100), Row(throughput: 10, ahead: 20, limit: 300),
            Row(throughput: 10, ahead: 1, isFull: true, limit: 300),
            // A higher throughput raises the limit only if the buffer is high or full.
            Row(throughput: 1286, ahead: 10, limit: 900), Row(throughput: 1286, ahead: 9.9, limit: 300),
            Row(throughput: 1286, ahead: 2, isFull: true, limit: 900),
            Row(throughput: 1285, ahead: 20, limit: 300),
            // At twice the rate, playback needs twice the throughput and the buffer lasts half as long.
            Row(throughput: 1286, ahead: 20, rate: 2, limit: 300),
            Row(throughput: 2572, ahead: 20, rate: 2, limit: 900),
            Row(throughput: 858, ahead: 9.9, rate: 2, limit: 300),
            Row(throughput: 856, ahead: 9.9, rate: 2, limit: 100),
        ]
    )
    func table(_ row: Row) {
        var policy = BitRatePolicy(Self.variants([300, 100, 900]))
        let now = Self.situation(row.throughput, ahead: row.ahead, isFull: row.isFull, rate: row.rate)
        #expect(policy.update(now) == (row.limit != 300))
        #expect(policy.limit == row.limit)
        // The same situation again changes nothing.
        let hasChanged = policy.update(now)
        #expect(!hasChanged)
    }

    @Test("The limit rises at most every 8 s and falls immediately")
    func pauses() {
        var policy = BitRatePolicy(Self.variants([300, 100, 900]))
        let steps: [(time: Double, throughput: Double, ahead: Double, limit: Double)] = [
            (0, 2000, 20, 900), (1, 200, 4, 100), (5, 2000, 20, 100), (8.9, 2000, 20, 100), (9, 500, 20, 300),
            (10, 2000, 20, 300), (16.9, 2000, 20, 300), (17, 2000, 20, 900), (17.1, 100, 1, 100),
        ]
        for step in steps {
            _ = policy.update(Self.situation(step.throughput, ahead: step.ahead, at: step.time))
            #expect(policy.limit == step.limit, "\(step)")
        }
    }

    @Test("A playlist without bit rates leads to no limit")
    func silent() {
        var policy = BitRatePolicy(Self.variants([0, 0]))
        let hasChanged = policy.update(Self.situation(1, ahead: 0))
        #expect(!hasChanged)
        #expect(policy.limit == 0)
    }
}
