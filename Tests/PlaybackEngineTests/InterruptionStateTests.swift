import MediaCore
import PlaybackEngine
import PlayheadTesting
import Testing

// Rule: interruption
@Suite("Playback state: interruptions")
struct InterruptionStateTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var before: @Sendable (inout PlaybackState) -> Void = { _ = $0.handle(.setRate(1)) }
        var during: @Sendable (inout PlaybackState) -> Void = { _ in }
        /// The expected state before the interruption ends.
        var isInterrupted = true
        var rate: Float = 0
        /// The expected state after the interruption has ended.
        var shouldResume: Bool? = true
        var rateAfter: Float = 1
    }

    static let rows = [
        Row(testDescription: "playing: pauses and resumes"),
        Row(testDescription: "at another rate", before: { _ = $0.handle(.setRate(2)) }, rateAfter: 2),
        Row(
            testDescription: "backward",
            before: {
                _ = $0.handle(.reversible(ItemID(1)))
                _ = $0.handle(.setRate(-1))
                _ = $0.handle(.firstFramePresented($0.epoch, at: .zero))
            },
            rateAfter: -1
        ),
        Row(
            testDescription: "paused before: stays paused",
            before: { _ = $0.handle(.setRate(0)) },
            shouldResume: false,
            rateAfter: 0
        ),
        Row(
            testDescription: "paused during the interruption: stays paused",
            during: { _ = $0.handle(.setRate(0)) },
            shouldResume: false,
            rateAfter: 0
        ),
        Row(
            testDescription: "stepped during the interruption: stays paused",
            during: { _ = $0.handle(.step(1)) },
            shouldResume: false,
            rateAfter: 0
        ),
        Row(
            testDescription: "played during the interruption: plays, and the interruption ends",
            during: { _ = $0.handle(.setRate(1)) },
            isInterrupted: false,
            rate: 1,
            shouldResume: nil
        ),
        Row(
            testDescription: "played immediately during the interruption",
            during: { _ = $0.handle(.playImmediately(1)) },
            isInterrupted: false,
            rate: 1,
            shouldResume: nil
        ),
        Row(
            testDescription: "another rate during the interruption",
            during: { _ = $0.handle(.setRate(1.5)) },
            isInterrupted: false,
            rate: 1.5,
            shouldResume: nil,
            rateAfter: 1.5
        ),
        Row(
            testDescription: "started at a given time during the interruption",
            during: { _ = $0.handle(.restart(1, at: .ms(500))) },
            isInterrupted: false,
            rate: 1,
            shouldResume: nil
        ),
        Row(
            testDescription: "played and paused during the interruption: stays paused",
            during: {
                _ = $0.handle(.setRate(1))
                _ = $0.handle(.setRate(0))
            },
            isInterrupted: false,
            shouldResume: nil,
            rateAfter: 0
        ),
        Row(
            testDescription: "seek during the interruption: resumes from its target",
            during: {
                _ = $0.handle(.seek(SeekRequest(id: SeekID(1), target: .ms(3000))))
                _ = $0.handle(.firstFramePresented($0.epoch, at: .ms(3000)))
                _ = $0.handle(.buffer(ItemID(1), .ready))
            }
        ),
        Row(
            testDescription: "another item during the interruption: that item resumes",
            during: {
                _ = $0.handle(.setItem(ItemID(2)))
                _ = $0.handle(.opened(ItemID(2), duration: .ms(1000)))
            }
        ),
        Row(testDescription: "the item is removed", during: { _ = $0.handle(.setItem(nil)) }),
        Row(
            testDescription: "the item fails during the interruption: nothing plays",
            during: { _ = $0.handle(.failed(ItemID(1), MediaError(.io, "gone"))) },
            shouldResume: false,
            rateAfter: 0
        ),
        Row(
            testDescription: "the item fails during the interruption, and another one is inserted after it",
            before: {
                _ = $0.handle(.setEndAction(.advance))
                _ = $0.handle(.setRate(1))
            },
            during: {
                _ = $0.handle(.failed(ItemID(1), MediaError(.io, "gone")))
                _ = $0.handle(.insert(ItemID(2), after: nil))
            }
        ),
        Row(
            testDescription: "interrupted twice: the second interruption changes nothing",
            during: { _ = $0.handle(.interruptionBegan) }
        ),
        Row(
            testDescription: "during a stall with waiting enabled",
            before: {
                _ = $0.handle(.setRate(1))
                _ = $0.handle(.underrun($0.epoch))
            }
        ),
        Row(
            testDescription: "during a stall that set the rate to 0; data arrives during the interruption",
            before: {
                _ = $0.handle(.setWaitsToMinimizeStalling(false))
                _ = $0.handle(.setRate(1))
                _ = $0.handle(.underrun($0.epoch))
            },
            during: { _ = $0.handle(.buffer(ItemID(1), .ready)) }
        ),
        Row(
            testDescription: "playback requested at the end",
            before: {
                _ = $0.handle(.setRate(1))
                _ = $0.handle(.reachedEnd($0.epoch, at: .ms(10_000), nil))
                _ = $0.handle(.setRate(1))
            },
            during: { _ = $0.handle(.endRepeated($0.epoch)) },
            // The end is reported again then.
            rateAfter: 0
        ),
        Row(
            testDescription: "resuming is disabled",
            before: {
                _ = $0.handle(.setResumesAfterInterruption(false))
                _ = $0.handle(.setRate(1))
            },
            rateAfter: 0
        ),
        Row(
            testDescription: "resuming is disabled during the interruption",
            during: { _ = $0.handle(.setResumesAfterInterruption(false)) },
            rateAfter: 0
        ),
    ]

    @Test(
        "Events before and during an interruption determine what resumes and what is reported",
        arguments: rows
    )
    func table(row: Row) {
        var state = StateTests.ready(row.before)
        let began = state.handle(.interruptionBegan)
        #expect(began.first { if case .post = $0 { true } else { false } } == .post(.interruptionBegan))
        #expect(state.isInterrupted)
        #expect(state.rate == 0)
        #expect(state.timeControl == .paused)
        row.during(&state)
        #expect(state.isInterrupted == row.isInterrupted)
        #expect(state.rate == row.rate)
        let ended = state.handle(.interruptionEnded)
        let reported = ended.compactMap { action -> Bool? in
            if case .post(.interruptionEnded(let shouldResume)) = action { shouldResume } else { nil }
        }
        #expect(reported == [row.shouldResume].compactMap(\.self))
        #expect(!state.isInterrupted)
        #expect(state.rate == row.rateAfter)
    }

    @Test("Interruptions are reported in the order: timeline, interruption, rate, time control status")
    func order() {
        var state = StateTests.ready { _ = $0.handle(.setRate(1)) }
        #expect(
            state.handle(.interruptionBegan) == [
                .setTimelineRate(0), .post(.interruptionBegan),
                .post(.rateChanged(from: 1, to: 0, .audioSessionInterrupted)),
                .post(.timeControlChanged(.paused, nil)),
            ]
        )
        #expect(
            state.handle(.interruptionEnded) == [
                .post(.interruptionEnded(shouldResume: true)), .setTimelineRate(1),
                .post(.rateChanged(from: 0, to: 1, .resumedAfterInterruption)),
                .post(.timeControlChanged(.playing, nil)),
            ]
        )
        #expect(state.handle(.interruptionEnded).isEmpty)
    }
}
