import MediaCore
import PlaybackEngine
import PlayheadTesting
import Testing

@Suite("Playback state: withheld rates")
struct WithheldRateTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Events that follow the start of playback at rate 2 in a queue of one item.
        let events: @Sendable (inout PlaybackState) -> Void
        let withheld: WithheldRate
        /// The expected rate after another item was inserted.
        var rateOfNext: Float = 0
    }

    private static let error = MediaError(.io, "gone")

    private static func stall(_ state: inout PlaybackState) {
        _ = state.handle(.setWaitsToMinimizeStalling(false))
        _ = state.handle(.underrun(state.epoch))
    }

    private static func endEarly(_ state: inout PlaybackState) {
        _ = state.handle(.reachedEnd(state.epoch, at: .ms(10_000), error))
    }

    static let rows = [
        Row(testDescription: "playing: none", events: { _ in }, withheld: .none, rateOfNext: 2),
        Row(testDescription: "a pause: none", events: { _ = $0.handle(.setRate(0)) }, withheld: .none),
        Row(testDescription: "a stall", events: { stall(&$0) }, withheld: .stall(2)),
        Row(
            testDescription: "a stall, then a pause: none",
            events: {
                stall(&$0)
                _ = $0.handle(.setRate(0))
            },
            withheld: .none
        ),
        Row(
            testDescription: "an interruption during a stall takes over",
            events: {
                stall(&$0)
                _ = $0.handle(.interruptionBegan)
            },
            withheld: .interruption(2)
        ),
        Row(
            testDescription: "a failure during a stall takes over",
            events: {
                stall(&$0)
                _ = $0.handle(.failed(ItemID(1), error))
            },
            withheld: .failure(2),
            rateOfNext: 2
        ),
        Row(
            testDescription: "a failure during an interruption takes over; the next item waits for its end",
            events: {
                _ = $0.handle(.interruptionBegan)
                _ = $0.handle(.failed(ItemID(1), error))
            },
            withheld: .failure(2)
        ),
        Row(
            testDescription: "an interruption after a failure leaves it",
            events: {
                _ = $0.handle(.failed(ItemID(1), error))
                _ = $0.handle(.interruptionBegan)
                _ = $0.handle(.interruptionEnded)
            },
            withheld: .failure(2),
            rateOfNext: 2
        ),
        Row(
            testDescription: "playback requested after a failure",
            events: {
                _ = $0.handle(.failed(ItemID(1), error))
                _ = $0.handle(.setRate(1))
            },
            withheld: .failure(1),
            rateOfNext: 1
        ),
        Row(testDescription: "an early end", events: { endEarly(&$0) }, withheld: .failure(2), rateOfNext: 2),
        Row(
            testDescription: "an early end, then a step, which pauses: none",
            events: {
                endEarly(&$0)
                _ = $0.handle(.step(1))
            },
            withheld: .none
        ),
        Row(
            testDescription: "an early end, then playback",
            events: {
                endEarly(&$0)
                _ = $0.handle(.setRate(1))
            },
            withheld: .end(1),
            rateOfNext: 1
        ),
        Row(
            testDescription: "a failure after an early end and after playback was requested there",
            events: {
                endEarly(&$0)
                _ = $0.handle(.setRate(1))
                _ = $0.handle(.failed(ItemID(1), error))
            },
            withheld: .failure(1),
            rateOfNext: 1
        ),
        Row(
            testDescription: "an interruption after playback was requested at the end takes over",
            events: {
                endEarly(&$0)
                _ = $0.handle(.setRate(1))
                _ = $0.handle(.interruptionBegan)
            },
            withheld: .interruption(1)
        ),
    ]

    @Test("One rate is withheld at a time, and another item is played at a failed item's", arguments: rows)
    func table(row: Row) {
        var state = StateTests.ready {
            _ = $0.handle(.setEndAction(.advance))
            _ = $0.handle(.setRate(2))
            row.events(&$0)
        }
        #expect(state.withheldRate == row.withheld)
        _ = state.handle(.insert(ItemID(2), after: nil))
        #expect(state.rate == row.rateOfNext)
    }
}
