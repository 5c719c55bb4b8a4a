import MediaCore
import PlaybackEngine
import PlayheadTesting
import Testing

extension BufferLevel {
    static let ready = BufferLevel(isEmpty: false, isLikelyToKeepUp: true, isFull: true)
}

// Rule: seek-completion
@Suite("Playback state")
struct StateTests {
    /// Returns a state with an item that is open and has its first frame and enough data.
    static func ready(_ change: (inout PlaybackState) -> Void = { _ in }) -> PlaybackState {
        var state = PlaybackState()
        _ = state.handle(.setItem(ItemID(1)))
        _ = state.handle(.opened(ItemID(1), duration: .ms(10_000)))
        _ = state.handle(.buffer(ItemID(1), .ready))
        _ = state.handle(.firstFramePresented(state.epoch, at: .zero))
        change(&state)
        return state
    }

    @Test("Rate, item, buffer and waiting determine the time control status and the waiting reason")
    func timeControl() {
        struct Row {
            let rate: Float
            let hasItem, isOpen, hasFirstFrame: Bool
            let level: BufferLevel
            let waits: Bool
            let expected: TimeControlStatus
            let reason: WaitingReason?
        }
        let some = BufferLevel(isEmpty: false, isLikelyToKeepUp: false, isFull: false)
        let full = BufferLevel(isEmpty: false, isLikelyToKeepUp: false, isFull: true)
        let likely = BufferLevel(isEmpty: false, isLikelyToKeepUp: true, isFull: false)
        let waiting = TimeControlStatus.waitingToPlayAtSpecifiedRate
        let rows = [
            Row(
                rate: 0,
                hasItem: false,
                isOpen: false,
                hasFirstFrame: false,
                level: .empty,
                waits: true,
                expected: .paused,
                reason: nil
            ),
            Row(
                rate: 0,
                hasItem: true,
                isOpen: true,
                hasFirstFrame: true,
                level: .ready,
                waits: true,
                expected: .paused,
                reason: nil
            ),
            Row(
                rate: 1,
                hasItem: false,
                isOpen: false,
                hasFirstFrame: false,
                level: .empty,
                waits: true,
                expected: waiting,
                reason: .noItemToPlay
            ),
            Row(
                rate: 1,
                hasItem: false,
                isOpen: false,
                hasFirstFrame: false,
                level: .empty,
                waits: false,
                expected: waiting,
                reason: .noItemToPlay
            ),
            Row(
                rate: 1,
                hasItem: true,
                isOpen: false,
                hasFirstFrame: false,
                level: .empty,
                waits: true,
                expected: waiting,
                reason: .evaluatingBufferingRate
            ),
            Row(
                rate: 1,
                hasItem: true,
                isOpen: true,
                hasFirstFrame: false,
                level: .empty,
                waits: true,
                expected: waiting,
                reason: .evaluatingBufferingRate
            ),
            Row(
                rate: 1,
                hasItem: true,
                isOpen: true,
                hasFirstFrame: true,
                level: .empty,
                waits: true,
                expected: waiting,
                reason: .toMinimizeStalls
            ),
            Row(
                rate: 1,
                hasItem: true,
                isOpen: true,
                hasFirstFrame: true,
                level: some,
                waits: true,
                expected: waiting,
                reason: .toMinimizeStalls
            ),
            Row(
                rate: 1,
                hasItem: true,
                isOpen: true,
                hasFirstFrame: true,
                level: full,
                waits: true,
                expected: .playing,
                reason: nil
            ),
            Row(
                rate: 1,
                hasItem: true,
                isOpen: true,
                hasFirstFrame: true,
                level: likely,
                waits: true,
                expected: .playing,
                reason: nil
            ),
            Row(
                rate: 1,
                hasItem: true,
                isOpen: true,
                hasFirstFrame: true,
                level: some,
                waits: false,
                expected: .playing,
                reason: nil
            ),
            Row(
                rate: 1,
                hasItem: true,
                isOpen: true,
                hasFirstFrame: true,
                level: .empty,
                waits: false,
                expected: waiting,
                reason: .evaluatingBufferingRate
            ),
            Row(
                rate: 2.5,
                hasItem: true,
                isOpen: true,
                hasFirstFrame: true,
                level: .ready,
                waits: true,
                expected: .playing,
                reason: nil
            ),
        ]
        for (number, row) in rows.enumerated() {
            var state = PlaybackState()
            _ = state.handle(.setWaitsToMinimizeStalling(row.waits))
            _ = state.handle(.setRate(row.rate))
            if row.hasItem { _ = state.handle(.setItem(ItemID(1))) }
            if row.isOpen { _ = state.handle(.opened(ItemID(1), duration: .ms(10_000))) }
            if row.hasFirstFrame { _ = state.handle(.firstFramePresented(state.epoch, at: .zero)) }
            _ = state.handle(.buffer(ItemID(1), row.level))
            #expect(state.timeControl == row.expected, "row \(number)")
            #expect(state.waitReason == row.reason, "row \(number)")
            #expect(state.rate == row.rate, "row \(number)")
        }
    }

    @Test("At the end the notice precedes the rate, and the rate precedes the time control status")
    func endOrder() {
        var state = Self.ready { _ = $0.handle(.setRate(1)) }
        let actions = state.handle(.reachedEnd(state.epoch, at: .ms(10_000), nil))
        #expect(
            actions == [
                .setTimelineRate(0),
                .post(.playedToEnd(ItemID(1), at: .ms(10_000))),
                .post(.passEnded(ItemID(1), .playedToEnd)),
                .post(.rateChanged(from: 1, to: 0, .itemEnded)),
                .post(.timeControlChanged(.paused, nil)),
            ]
        )
    }

    @Test("Under .none time continues past the end, and another action then applies immediately")
    func endNone() {
        var state = Self.ready {
            _ = $0.handle(.setEndAction(.none))
            _ = $0.handle(.setRate(1))
        }
        #expect(
            state.handle(.reachedEnd(state.epoch, at: .ms(10_000), nil)) == [
                .post(.playedToEnd(ItemID(1), at: .ms(10_000))),
                .post(.passEnded(ItemID(1), .playedToEnd)),
            ]
        )
        #expect(state.timeControl == .playing)
        _ = state.handle(.setEndAction(.pause))
        #expect(state.rate == 0)
        #expect(state.timelineRate == 0)
    }

    @Test("playImmediately starts with whatever is buffered")
    func immediately() {
        var state = Self.ready {
            _ = $0.handle(
                .buffer(ItemID(1), BufferLevel(isEmpty: false, isLikelyToKeepUp: false, isFull: false))
            )
        }
        _ = state.handle(.setRate(1))
        #expect(state.timeControl == .waitingToPlayAtSpecifiedRate)
        _ = state.handle(.playImmediately(1))
        #expect(state.timeControl == .playing)
    }

    @Test("Events that name an old epoch or item change nothing")
    func stale() {
        var state = Self.ready { _ = $0.handle(.setRate(1)) }
        let before = state
        for event in [
            PlaybackEvent.firstFramePresented(Epoch(99), at: .zero), .underrun(Epoch(99)),
            .reachedEnd(Epoch(99), at: .zero, nil),
            .opened(ItemID(9), duration: .zero), .buffer(ItemID(9), .empty),
            .failed(ItemID(9), MediaError(.io, "late")), .durationChanged(ItemID(9), .zero),
        ] {
            #expect(state.handle(event).isEmpty)
        }
        #expect(state == before)
    }
}
