import MediaCore
import PlaybackEngine
import PlayheadTesting
import Testing

// Rule: stuck
@Suite("Whether playing gets on, worked out")
struct StuckDetectorTests {
    private typealias ProgressSample = StuckDetector.ProgressSample

    private static let standard = StuckDetector.Limits(
        loading: 600_000_000_000,
        playing: 10_000_000_000,
        ending: 60_000_000_000
    )

    private static func waiting(_ bytes: Int64, epoch: UInt64 = 1, hasFirstFrame: Bool = true)
        -> ProgressSample
    {
        .waiting(Epoch(epoch), isOpen: true, hasFirstFrame: hasFirstFrame, byteCount: bytes)
    }

    private static func playing(_ ms: Int64, backlog: Int = 0, pass: Int = 0, isPastEnd: Bool = false)
        -> ProgressSample
    {
        .playing(
            Epoch(1),
            pass: pass,
            at: ItemTime(nanoseconds: ms * 1_000_000),
            backlog: backlog,
            isPastEnd: isPastEnd
        )
    }

    /// When it is told of, in seconds: what is seen from each time on, looked at as often as it asks for and when it changes.
    private func tell(
        _ sights: [(Int64, ProgressSample?)],
        until end: Int64,
        limits: StuckDetector.Limits = StuckDetectorTests.standard,
        from begin: Int64 = 0
    ) -> [String] {
        var stuckDetector = StuckDetector(limits: limits)
        var told: [String] = []
        func look(_ sight: ProgressSample?, _ now: HostTime) {
            guard let (how, time) = stuckDetector.check(sight, notBefore: .ms(begin * 1000), at: now) else {
                return
            }
            told.append("\(how) for \(time / 1_000_000_000) at \(now.nanoseconds / 1_000_000_000)")
        }
        for (index, (second, sight)) in sights.enumerated() {
            let next = index + 1 < sights.count ? sights[index + 1].0 : end
            look(sight, .ms(second * 1000))
            while let time = stuckDetector.nextCheck, time < .ms(next * 1000) { look(sight, time) }
        }
        return told
    }

    @Test("Each kind has its limit, and is told when that is reached")
    func limits() {
        #expect(StuckDetector().limits == Self.standard)
        #expect(tell([(0, Self.waiting(1))], until: 700) == ["loading for 600 at 600"])
        #expect(tell([(5, Self.playing(1))], until: 24) == ["playing for 10 at 15"])
        #expect(tell([(5, Self.playing(1, isPastEnd: true))], until: 100) == ["ending for 60 at 65"])
        // Counted anew, should nothing come of it.
        #expect(tell([(0, Self.playing(1))], until: 21).count == 2)
        let none = StuckDetector.Limits(loading: nil, playing: nil, ending: nil)
        for sight in [Self.waiting(1), Self.playing(1), Self.playing(1, isPastEnd: true)] {
            #expect(tell([(0, sight)], until: 10_000, limits: none) == [])
        }
    }

    @Test("Whatever comes or moves begins the count anew, and so do a pause and another epoch")
    func progress() {
        let steps: [(ProgressSample, ProgressSample?)] = [
            (Self.waiting(1), Self.waiting(2)), (Self.waiting(1), Self.waiting(1, epoch: 2)),
            (Self.waiting(1, hasFirstFrame: false), Self.waiting(1)), (Self.waiting(1), Self.playing(0)),
        ]
        for (before, after) in steps {
            #expect(tell([(0, before), (599, after), (600, before)], until: 1199) == [])
            #expect(tell([(0, before), (599, after), (600, before)], until: 1201).count == 1)
        }
        let moves: [ProgressSample?] = [
            Self.playing(2), Self.playing(1, backlog: 5), Self.playing(1, pass: 1), nil, Self.waiting(1),
            Self.playing(1, isPastEnd: true),
        ]
        for move in moves {
            let rows: [(Int64, ProgressSample?)] = [(0, Self.playing(1)), (9, move), (10, Self.playing(1))]
            #expect(tell(rows, until: 20) == [], "\(String(describing: move))")
            #expect(tell(rows, until: 21) == ["playing for 10 at 20"], "\(String(describing: move))")
        }
    }

    @Test("A start that lies ahead is waited for")
    func appointed() {
        #expect(tell([(0, Self.playing(0))], until: 109, from: 100) == [])
        #expect(tell([(0, Self.playing(0))], until: 111, from: 100) == ["playing for 10 at 110"])
    }

    @Test("A machine that has slept begins the count anew: nobody has looked")
    func slept() {
        var stuckDetector = StuckDetector(limits: Self.standard)
        #expect(stuckDetector.check(Self.waiting(1), notBefore: .zero, at: .ms(0)) == nil)
        #expect(stuckDetector.nextCheck == .ms(150_000))
        #expect(stuckDetector.check(Self.waiting(1), notBefore: .zero, at: .ms(5_000_000)) == nil)
        #expect(stuckDetector.nextCheck == .ms(5_150_000))
        // Late, as on a busy machine, is not that.
        #expect(stuckDetector.check(Self.waiting(1), notBefore: .zero, at: .ms(5_290_000)) == nil)
        #expect(stuckDetector.check(Self.waiting(1), notBefore: .zero, at: .ms(5_580_000)) == nil)
        let late = stuckDetector.check(Self.waiting(1), notBefore: .zero, at: .ms(5_601_000))
        #expect(late?.0 == .loading && late?.1 == 601_000_000_000)
    }

    @Test("What the state makes of it: the item fails in its middle, with a code of its own")
    func state() {
        var state = StateTests.ready { _ = $0.handle(.setRate(1)) }
        let actions = state.handle(.stuck(state.epoch, .playing, after: 10_500_000_000))
        let error = MediaError(.stuck, "playback has not advanced for 10.5 s", isRetryable: true)
        #expect(state.item?.status == .failed && state.item?.error == error)
        #expect(
            actions == [
                .setTimelineRate(0),
                .post(.failedToPlayToEnd(ItemID(1), error)),
                .post(.passEnded(ItemID(1), .failed(error))),
                .post(.itemStatusChanged(ItemID(1), .failed)),
                .post(.bufferEmptyChanged(ItemID(1), true)),
                .post(.bufferFullChanged(ItemID(1), false)),
                .post(.likelyToKeepUpChanged(ItemID(1), false)),
                .post(.rateChanged(from: 1, to: 0, .itemFailed)),
                .post(.timeControlChanged(.paused, nil)),
            ]
        )
        #expect(Set(StuckReason.allCases.map { $0.error(after: 60_000_000_000).message }).count == 3)
    }

    @Test("What is not to play, has ended or failed, or is of another epoch is not stuck")
    func stale() {
        let changes: [(inout PlaybackState) -> Void] = [
            { _ in }, { _ = $0.handle(.setItem(nil)) },
            {
                _ = $0.handle(.setRate(1))
                _ = $0.handle(.setRate(0))
            },
            {
                _ = $0.handle(.setEndAction(.none))
                _ = $0.handle(.setRate(1))
                _ = $0.handle(.reachedEnd($0.epoch, at: .ms(10_000), nil))
            },
            { _ = $0.handle(.failed(ItemID(1), MediaError(.io, "before"))) },
        ]
        for change in changes {
            var state = StateTests.ready(change)
            // What the last change was for is forgotten with the next event.
            _ = state.handle(.evaluationTimedOut(ItemID(99)))
            let before = state
            for stuckReason in StuckReason.allCases {
                #expect(state.handle(.stuck(state.epoch, stuckReason, after: 1)).isEmpty)
            }
            #expect(state == before)
        }
        // While it waits, time does not have to run; it does not wait where time runs.
        var state = StateTests.ready {
            _ = $0.handle(.setRate(1))
            _ = $0.handle(.underrun($0.epoch))
        }
        #expect(state.handle(.stuck(Epoch(99), .loading, after: 1)).isEmpty)
        #expect(state.handle(.stuck(state.epoch, .playing, after: 1)).isEmpty)
        #expect(!state.handle(.stuck(state.epoch, .loading, after: 1)).isEmpty)
    }
}
