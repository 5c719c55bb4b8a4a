import MediaCore
import PlayheadTesting
import Testing

@testable import PlaybackEngine

@Suite("Playback state: interstitials")
struct InterstitialStateTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The events before the interstitial begins. Item 1 is ready and paused.
        var before: @Sendable (inout PlaybackState) -> Void = { _ = $0.handle(.setRate(1)) }
        /// The events during the interstitial, item 9.
        var during: @Sendable (inout PlaybackState) -> Void = { _ in }
        /// What ends it.
        var end: @Sendable (inout PlaybackState) -> [PlaybackAction] = {
            $0.handle(.reachedEnd($0.epoch, at: .ms(5000), nil))
        }
        var item: UInt64? = 1
        var rate: Float = 1
        var timelineRate: Float = 1
        var isSeamless: Bool? = true
        var awaitsRepeatedEnd = false
    }

    static let rows = [
        Row(testDescription: "playing: continues seamlessly"),
        Row(
            testDescription: "paused: continues paused",
            before: { _ in },
            rate: 0,
            timelineRate: 0,
            isSeamless: false
        ),
        Row(
            testDescription: "at another rate: continues at that rate",
            before: { _ = $0.handle(.setRate(2)) },
            rate: 2,
            timelineRate: 2,
            isSeamless: false
        ),
        Row(
            testDescription: "looping: the interstitial is played once",
            before: {
                _ = $0.handle(.setRepeat(.loop))
                _ = $0.handle(.setRate(1))
            }
        ),
        Row(
            testDescription: "stalled: waits for data again",
            before: {
                _ = $0.handle(.setRate(1))
                _ = $0.handle(.underrun($0.epoch))
            },
            timelineRate: 0,
            isSeamless: false
        ),
        Row(
            testDescription: "in a seek: the seek continues",
            before: {
                _ = $0.handle(.setRate(1))
                _ = $0.handle(.seek(SeekRequest(id: SeekID(1), target: .ms(3000))))
            },
            timelineRate: 0,
            isSeamless: false
        ),
        Row(
            testDescription: "playback was requested at the end: waits to report the end again",
            before: {
                _ = $0.handle(.setRate(1))
                _ = $0.handle(.reachedEnd($0.epoch, at: .ms(5000), nil))
                _ = $0.handle(.setRate(1))
            },
            rate: 0,
            timelineRate: 0,
            isSeamless: false,
            awaitsRepeatedEnd: true
        ),
        Row(
            testDescription: "failed: the interrupted item continues",
            end: { $0.handle(.failed(ItemID(9), MediaError(.io, "gone"))) },
            isSeamless: false
        ),
        Row(
            testDescription: "cut off: the interrupted item continues",
            end: { $0.handle(.reachedEnd($0.epoch, at: .ms(1000), MediaError(.truncated, "short"))) }
        ),
        Row(testDescription: "removed", end: { $0.handle(.remove(ItemID(9))) }),
        Row(testDescription: "advanced", end: { $0.handle(.advance) }),
        Row(
            testDescription: "paused during it, and removed: continues paused",
            during: { _ = $0.handle(.setRate(0)) },
            end: { $0.handle(.remove(ItemID(9))) },
            rate: 0,
            timelineRate: 0,
            isSeamless: false
        ),
        Row(
            testDescription: "replaced by another interstitial: the interrupted item continues after that",
            during: { interrupt(&$0, 8) }
        ),
        Row(
            testDescription: "the interrupted item is removed: the queue follows",
            before: {
                _ = $0.handle(.setEndAction(.advance))
                _ = $0.handle(.insert(ItemID(2), after: nil))
                _ = $0.handle(.setRate(1))
            },
            during: { _ = $0.handle(.remove(ItemID(1))) },
            item: 2,
            timelineRate: 0,
            isSeamless: nil
        ),
        Row(
            testDescription: "the interrupted item is removed from a queue without others",
            before: {
                _ = $0.handle(.setEndAction(.advance))
                _ = $0.handle(.setRate(1))
            },
            during: { _ = $0.handle(.remove(ItemID(1))) },
            item: nil,
            timelineRate: 0,
            isSeamless: nil
        ),
        Row(
            testDescription: "another item is set: both leave",
            during: { _ = $0.handle(.setItem(ItemID(5))) },
            end: { _ in [] },
            item: 5,
            timelineRate: 0,
            isSeamless: nil
        ),
        Row(
            testDescription: "the interrupted item is set",
            end: { $0.handle(.setItem(ItemID(1))) }
        ),
        Row(
            testDescription: "audio is taken away during it, and given back after it",
            during: { _ = $0.handle(.interruptionBegan) },
            end: {
                let actions = $0.handle(.remove(ItemID(9)))
                _ = $0.handle(.interruptionEnded)
                return actions
            },
            isSeamless: false
        ),
        Row(
            testDescription: "the end action pauses: the interrupted item continues nevertheless",
            before: {
                _ = $0.handle(.setEndAction(.pause))
                _ = $0.handle(.setRate(1))
            }
        ),
    ]

    static func interrupt(_ state: inout PlaybackState, _ id: UInt64) {
        _ = state.handle(.interrupt(ItemID(id), rate: 1))
        _ = state.handle(.preparedOpened(ItemID(id), duration: .ms(5000)))
        _ = state.handle(.preparedReady(ItemID(id)))
        if state.item?.hasFirstFrame == false {
            _ = state.handle(.firstFramePresented(state.epoch, at: .zero))
        }
        _ = state.handle(.buffer(ItemID(id), .ready))
    }

    @Test("Events before and during an interstitial determine what continues after it", arguments: rows)
    func table(row: Row) {
        var state = StateTests.ready(row.before)
        let before = state
        Self.interrupt(&state, 9)
        #expect(state.item?.id == ItemID(9))
        #expect(state.timelineRate == 1)
        row.during(&state)
        let actions = row.end(&state)
        #expect(state.item?.id == row.item.map { ItemID($0) })
        #expect(state.rate == row.rate)
        #expect(state.timelineRate == row.timelineRate)
        #expect(state.awaitsRepeatedEnd == row.awaitsRepeatedEnd)
        let seamless = actions.compactMap { action -> Bool? in
            if case .endInterstitial(_, _, _, let isSeamless) = action { isSeamless } else { nil }
        }
        #expect(seamless == [row.isSeamless].compactMap(\.self))
        #expect(state.interstitial == nil)
        guard row.isSeamless != nil else { return }
        #expect(state.item == before.item)
        #expect(state.epoch == before.epoch)
        #expect(state.repeatSetting == before.repeatSetting)
    }

    @Test("A begin and an end are reported in the order: outcome, item, interstitial")
    func order() {
        var state = StateTests.ready { _ = $0.handle(.setRate(1)) }
        _ = state.handle(.interrupt(ItemID(9), rate: 1))
        _ = state.handle(.preparedOpened(ItemID(9), duration: .ms(5000)))
        #expect(state.item?.id == ItemID(1))
        let began = state.handle(.preparedReady(ItemID(9)))
        #expect(
            began.prefix(3) == [
                .beginInterstitial(ItemID(9), isSeamless: true),
                .post(.itemChanged(from: ItemID(1), to: ItemID(9))), .post(.interstitialBegan(ItemID(9))),
            ]
        )
        let ended = state.handle(.reachedEnd(state.epoch, at: .ms(5000), nil))
        let posts = ended.compactMap { action -> PlaybackChange? in
            if case .post(let change) = action { change } else { nil }
        }
        #expect(
            posts.prefix(4) == [
                .playedToEnd(ItemID(9), at: .ms(5000)), .passEnded(ItemID(9), .playedToEnd),
                .itemChanged(from: ItemID(9), to: ItemID(1)), .interstitialEnded(ItemID(9)),
            ]
        )
    }

    @Test(
        "Seeks of the interrupted item are cancelled once, and the one in flight is still performed after it"
    )
    func seeksCancelled() {
        var state = StateTests.ready { state in
            _ = state.handle(.setRate(1))
            _ = state.handle(.seek(SeekRequest(id: SeekID(1), target: .ms(3000))))
        }
        Self.interrupt(&state, 9)
        let cancelled = state.handle(.cancelSeeks(ItemID(1)))
        #expect(cancelled == [.completeSeek(SeekID(1), finished: false)])
        #expect(state.handle(.cancelSeeks(ItemID(1))) == [])
        _ = state.handle(.remove(ItemID(9)))
        #expect(state.item?.isSeeking == true)
        let shown = state.handle(.firstFramePresented(state.epoch, at: .ms(3000)))
        #expect(shown.contains(.post(.timeJumped(ItemID(1), to: .ms(3000)))))
        #expect(!shown.contains(.completeSeek(SeekID(1), finished: true)))
    }

    @Test("Seeks of an interstitial are cancelled without those of the interrupted item")
    func seeksOfInterstitialCancelled() {
        var state = StateTests.ready { _ = $0.handle(.seek(SeekRequest(id: SeekID(1), target: .ms(3000)))) }
        Self.interrupt(&state, 9)
        _ = state.handle(.seek(SeekRequest(id: SeekID(2), target: .ms(1000))))
        #expect(state.handle(.cancelSeeks(ItemID(9))) == [.completeSeek(SeekID(2), finished: false)])
    }

    @Test("An interstitial that cannot be opened is reported, and the current item plays on")
    func failsToOpen() {
        var state = StateTests.ready { _ = $0.handle(.setRate(1)) }
        _ = state.handle(.interrupt(ItemID(9), rate: 1))
        let before = state
        let error = MediaError(.io, "gone")
        #expect(
            state.handle(.preparedFailed(ItemID(9), error)) == [
                .discard(ItemID(9)), .forget(ItemID(9)), .post(.itemFailed(ItemID(9), error)),
            ]
        )
        #expect(state.item == before.item)
        #expect(state.timelineRate == 1)
    }
}
