import MediaCore
import PlayheadTesting
import Testing

@testable import PlaybackEngine

// Rule: repeated-end
@Suite("End rate limit")
struct EndRateLimitTests {
    private typealias Position = EndRateLimit.Position

    private static func ms(_ value: Int64) -> ItemTime { ItemTime(nanoseconds: value * 1_000_000) }

    @Test("A requested end is repeated after 20 ms, and 250 ms after the last one at the earliest")
    func repeats() {
        var limit = EndRateLimit()
        #expect(limit.repeatTime(requestedAt: .ms(1000)) == .ms(1020))
        limit.endReported(at: .ms(1000), failure: nil)
        for (requested, expected) in [(1000, 1250), (1200, 1250), (1240, 1260), (5000, 5020)]
            as [(Int64, Int64)]
        {
            #expect(limit.repeatTime(requestedAt: .ms(requested)) == .ms(expected))
        }
    }

    @Test("Playback from a position without content before the end waits 250 ms, any other starts at once")
    func starts() {
        struct Row {
            let time: Int64
            var rate: Float = 1
            var duration: Int64? = 10_000
            var forwardEnd: Int64?
            var reverseEnd: Int64 = 0
            var failure: Int64?
            let waits: Bool
        }
        let rows = [
            Row(time: 5000, waits: false),
            Row(time: 9979, waits: false),
            Row(time: 9980, waits: true),
            Row(time: 5000, duration: nil, waits: false),
            Row(time: 5000, forwardEnd: 5010, waits: true),
            Row(time: 5000, duration: nil, forwardEnd: 5010, waits: true),
            // An item whose only frame is short is played.
            Row(time: 0, duration: 2, waits: false),
            Row(time: 0, duration: 1, waits: true),
            Row(time: 9999, rate: -1, waits: false),
            Row(time: 20, rate: -1, waits: true),
            Row(time: 21, rate: -1, waits: false),
            Row(time: 4000, rate: -1, reverseEnd: 3990, waits: true),
            // Backward from the end of a short item.
            Row(time: 10, rate: -1, duration: 10, waits: false),
            Row(time: 5000, failure: 5015, waits: true),
            Row(time: 5000, rate: -1, failure: 4985, waits: true),
            Row(time: 5000, failure: 5021, waits: false),
        ]
        for (number, row) in rows.enumerated() {
            var limit = EndRateLimit()
            let position = Position(
                time: Self.ms(row.time),
                duration: row.duration.map(Self.ms),
                forwardEnd: row.forwardEnd.map(Self.ms),
                reverseEnd: Self.ms(row.reverseEnd)
            )
            #expect(limit.earliestStart(from: position, rate: row.rate, at: .ms(1000)) == nil)
            limit.endReported(at: .ms(1000), failure: row.failure.map(Self.ms))
            let start = limit.earliestStart(from: position, rate: row.rate, at: .ms(1100))
            #expect(start == (row.waits ? .ms(1250) : nil), "row \(number)")
            #expect(limit.earliestStart(from: position, rate: row.rate, at: .ms(1250)) == nil)
        }
    }
}
