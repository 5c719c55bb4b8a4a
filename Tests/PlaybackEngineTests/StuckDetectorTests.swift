import MediaCore
import PlaybackEngine
import PlayheadTesting
import Testing

// Rule: stuck
@Suite("Stuck detector")
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

    /// Returns the detections, with times in seconds. Each sample applies from its time on. Checks are made when the sample
    /// changes and when the detector requires them.
    private func detections(
        _ samples: [(Int64, ProgressSample?)],
        until end: Int64,
        limits: StuckDetector.Limits = StuckDetectorTests.standard,
        notBefore start: Int64 = 0
    ) -> [String] {
        var stuckDetector = StuckDetector(limits: limits)
        var detections: [String] = []
        func check(_ sample: ProgressSample?, _ now: HostTime) {
            guard let (reason, time) = stuckDetector.check(sample, notBefore: .ms(start * 1000), at: now)
            else {
                return
            }
            detections.append("\(reason) for \(time / 1_000_000_000) at \(now.nanoseconds / 1_000_000_000)")
        }
        for (index, (second, sample)) in samples.enumerated() {
            let next = index + 1 < samples.count ? samples[index + 1].0 : end
            check(sample, .ms(second * 1000))
            while let time = stuckDetector.nextCheck, time < .ms(next * 1000) { check(sample, time) }
        }
        return detections
    }

    @Test("Each reason has its limit, and is detected when the limit is reached")
    func limits() {
        #expect(StuckDetector().limits == Self.standard)
        #expect(detections([(0, Self.waiting(1))], until: 700) == ["loading for 600 at 600"])
        #expect(detections([(5, Self.playing(1))], until: 24) == ["playing for 10 at 15"])
        #expect(detections([(5, Self.playing(1, isPastEnd: true))], until: 100) == ["ending for 60 at 65"])
        // After a detection the measurement starts again.
        #expect(detections([(0, Self.playing(1))], until: 21).count == 2)
        let none = StuckDetector.Limits(loading: nil, playing: nil, ending: nil)
        for sample in [Self.waiting(1), Self.playing(1), Self.playing(1, isPastEnd: true)] {
            #expect(detections([(0, sample)], until: 10_000, limits: none) == [])
        }
    }

    @Test("Progress of any kind, a pause and another epoch restart the measurement")
    func progress() {
        let steps: [(ProgressSample, ProgressSample?)] = [
            (Self.waiting(1), Self.waiting(2)), (Self.waiting(1), Self.waiting(1, epoch: 2)),
            (Self.waiting(1, hasFirstFrame: false), Self.waiting(1)), (Self.waiting(1), Self.playing(0)),
        ]
        for (before, after) in steps {
            #expect(detections([(0, before), (599, after), (600, before)], until: 1199) == [])
            #expect(detections([(0, before), (599, after), (600, before)], until: 1201).count == 1)
        }
        let moves: [ProgressSample?] = [
            Self.playing(2), Self.playing(1, backlog: 5), Self.playing(1, pass: 1), nil, Self.waiting(1),
            Self.playing(1, isPastEnd: true),
        ]
        for move in moves {
            let rows: [(Int64, ProgressSample?)] = [(0, Self.playing(1)), (9, move), (10, Self.playing(1))]
            #expect(detections(rows, until: 20) == [], "\(String(describing: move))")
            #expect(detections(rows, until: 21) == ["playing for 10 at 20"], "\(String(describing: move))")
        }
    }

    @Test("Time before a scheduled start is not counted")
    func appointed() {
        #expect(detections([(0, Self.playing(0))], until: 109, notBefore: 100) == [])
        #expect(detections([(0, Self.playing(0))], until: 111, notBefore: 100) == ["playing for 10 at 110"])
    }

    @Test("A long time without a check, as after a suspend, restarts the measurement")
    func slept() {
        var stuckDetector = StuckDetector(limits: Self.standard)
        #expect(stuckDetector.check(Self.waiting(1), notBefore: .zero, at: .ms(0)) == nil)
        #expect(stuckDetector.nextCheck == .ms(150_000))
        #expect(stuckDetector.check(Self.waiting(1), notBefore: .zero, at: .ms(5_000_000)) == nil)
        #expect(stuckDetector.nextCheck == .ms(5_150_000))
        // Checks that are late, as on a busy machine, do not restart it.
        #expect(stuckDetector.check(Self.waiting(1), notBefore: .zero, at: .ms(5_290_000)) == nil)
        #expect(stuckDetector.check(Self.waiting(1), notBefore: .zero, at: .ms(5_580_000)) == nil)
        let late = stuckDetector.check(Self.waiting(1), notBefore: .zero, at: .ms(5_601_000))
        #expect(late?.0 == .loading && late?.1 == 601_000_000_000)
    }

    @Test("A stuck item fails with its own error code")
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

    @Test("A player that is paused, has ended or failed, or reports another epoch is not stuck")
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
            // The next event clears the reason of the last change.
            _ = state.handle(.evaluationTimedOut(ItemID(99)))
            let before = state
            for stuckReason in StuckReason.allCases {
                #expect(state.handle(.stuck(state.epoch, stuckReason, after: 1)).isEmpty)
            }
            #expect(state == before)
        }
        // A waiting player cannot be stuck in playback, but it can be stuck in loading.
        var state = StateTests.ready {
            _ = $0.handle(.setRate(1))
            _ = $0.handle(.underrun($0.epoch))
        }
        #expect(state.handle(.stuck(Epoch(99), .loading, after: 1)).isEmpty)
        #expect(state.handle(.stuck(state.epoch, .playing, after: 1)).isEmpty)
        #expect(!state.handle(.stuck(state.epoch, .loading, after: 1)).isEmpty)
    }
}
