import MediaCore
import PlayheadBackend

/// A sample of a video track's decoding, taken in one update of the loop.
struct DecodeSample {
    var now: HostTime
    /// The playback rate, or 0 while the timeline is stopped.
    var rate: Float
    /// The lateness of the newest frame in host nanoseconds. It is 0 if the next frame has been decoded before
    /// it is due, and nil if no frame was decoded.
    var lateness: Int64?
    /// True while the decoder has packets and capacity for frames.
    var isDecoding = false
    /// The number of frames removed from the frame queue since the last sample, and their total duration in
    /// nanoseconds of item time.
    var decoded = 0
    var duration: Int64 = 0
    /// The number of frames skipped since the last sample.
    var skipped = 0
}

/// Decides which video frames are skipped when decoding is too slow, so that the clock is kept at every rate.
///
/// | Step | Skipped | Condition |
/// |---|---|---|
/// | 1 | non-reference frames | frames are late and do not catch up |
/// | 2 | everything up to another key frame | step 1 is not enough; see `SkipPolicy+Jump` |
/// | 3 | everything but key frames | jumps follow each other closely |
///
/// Skipping is reduced again after frames have been on time for the delay of `SkipBackoff`. Nothing is skipped
/// on the virtual clock, where no frame can be late.
struct SkipPolicy {
    /// A change of decoding performance that is reported to the application.
    enum PerformanceChange: Hashable {
        case fellBehind
        case keepsUp(skipped: Int)
    }

    /// The key frames to which decoding may jump.
    enum KeyFrameDrop: Int, Comparable {
        case none
        /// A key frame that is close enough.
        case nearby
        /// Any key frame, because late frames are useless.
        case any

        static func < (a: KeyFrameDrop, b: KeyFrameDrop) -> Bool { a.rawValue < b.rawValue }
    }

    /// A period in which all frames have been late.
    private struct LatePeriod {
        var since: HostTime
        /// The start of the current check of lateness. Decoding may be catching up on its own.
        var checkedFrom: HostTime
        var lateness: Int64
    }

    private(set) var skipping = DecodeSkipping.none
    private(set) var keyFrameDrop = KeyFrameDrop.none
    /// The lateness of the newest frame in host nanoseconds.
    private(set) var lateness: Int64 = 0
    private(set) var rate: Float = 0
    private(set) var load = DecodeLoad()
    private var latePeriod: LatePeriod?
    private var onTimeSince: HostTime?
    private var skippingReducedAt: HostTime?
    private var backoff = SkipBackoff()
    /// The number of frames skipped since decoding fell behind, or nil if it keeps up.
    private var skippedWhileBehind: Int?
    private var pendingChange: PerformanceChange?

    /// The last request to the decoding stage; see `SkipPolicy+Follow`.
    var lastRequest: SkipRequest?
    private var followedTrack: (epoch: Epoch, track: ObjectIdentifier)?
    /// The last jump, until its target frame has been decoded; see `SkipPolicy+Jump`.
    var pendingJump: KeyFrameJump?
    var lastJumpAt: HostTime?
    /// The time from a jump until its key frame has been decoded, in host nanoseconds, or nil if it is unknown.
    var jumpLatency: Int64?

    // The constants that follow are in host nanoseconds.

    /// Decoding is falling behind if a frame is later than this.
    static let lateThreshold: Int64 = 100_000_000
    /// A frame is well on time if it is less late than this.
    private static let onTimeThreshold: Int64 = 20_000_000
    /// Frames that are later than this are useless.
    static let uselessThreshold: Int64 = 1_000_000_000
    /// The interval between checks of lateness. Decoding is catching up if lateness decreases by at least a
    /// tenth of the interval.
    private static let latenessCheckInterval: Int64 = 150_000_000
    /// The longest time that catching up may take.
    private static let maximumCatchUpTime: Int64 = 1_000_000_000
    /// The time after skipping was reduced in which the first late frame ends the attempt.
    private static let recoveryPeriod: Int64 = 2_000_000_000
    /// The lateness that counts as late during `recoveryPeriod`.
    private static let recoveryLateThreshold: Int64 = 50_000_000
    /// A decoder keeps up if its load is below this share of its time.
    private static let sustainableLoad = 0.9

    /// Whether each frame must be sampled to measure the decoding time, which is the case while frames are
    /// skipped.
    var measuresLoad: Bool { skipping > .none && rate != 0 }

    /// Updates the policy with a sample.
    mutating func note(_ sample: DecodeSample, isReverse: Bool) {
        if skippedWhileBehind != nil { skippedWhileBehind? += sample.skipped }
        changeRate(to: sample.rate)
        guard rate != 0 else { return }
        load.note(sample)
        guard let lateness = sample.lateness else { return }
        self.lateness = lateness
        let limit = isRecovering(sample.now) ? Self.recoveryLateThreshold : Self.lateThreshold
        if lateness > limit {
            noteLate(sample.now, isReverse: isReverse)
        } else {
            endLatePeriod()
            noteOnTime(sample.now, isWellOnTime: lateness < Self.onTimeThreshold)
        }
    }

    /// Begins an epoch. With another track, the decoder is another one, too, so that skipping and its backoff
    /// start from scratch.
    mutating func begin(_ epoch: Epoch, _ track: ObjectIdentifier) {
        guard followedTrack?.epoch != epoch else { return }
        restart()
        if followedTrack?.track != track {
            skipping = .none
            backoff = SkipBackoff()
            skippingReducedAt = nil
            jumpLatency = nil
            lastJumpAt = nil
        }
        followedTrack = (epoch, track)
    }

    /// Discards the measurements, which do not apply to another position or after a pause.
    mutating func restart() {
        endLatePeriod()
        onTimeSince = nil
        load = DecodeLoad()
        pendingJump = nil
    }

    mutating func endLatePeriod() {
        latePeriod = nil
        keyFrameDrop = .none
    }

    /// Returns the change of performance that has not been reported yet, and clears it.
    mutating func takePendingChange() -> PerformanceChange? {
        defer { pendingChange = nil }
        return pendingChange
    }

    /// Applies a new rate. At a lower rate, skipping may be unnecessary. A pause or a higher rate does not
    /// affect the estimate of the machine's speed.
    private mutating func changeRate(to new: Float) {
        guard new != rate else { return }
        restart()
        if new != 0, abs(new) < abs(playedRate) || (new < 0) != (playedRate < 0) {
            skipping = .none
            backoff = SkipBackoff()
            skippingReducedAt = nil
        }
        rate = new
        if new != 0 { playedRate = new }
    }

    /// The last rate other than 0.
    private var playedRate: Float = 0

    // MARK: Too late

    private mutating func noteLate(_ now: HostTime, isReverse: Bool) {
        onTimeSince = nil
        if isRecovering(now) {
            backoff.failed()
            return increaseSkipping(at: now)
        }
        guard let watched = latePeriod else {
            latePeriod = LatePeriod(since: now, checkedFrom: now, lateness: lateness)
            return
        }
        let time = now.nanoseconds(since: watched.checkedFrom)
        guard time >= Self.latenessCheckInterval else { return }
        latePeriod?.checkedFrom = now
        latePeriod?.lateness = lateness
        let catchesUp = lateness <= watched.lateness - time / 10
        let isTooLong = now.nanoseconds(since: watched.since) >= Self.maximumCatchUpTime
        guard !catchesUp || isTooLong else {
            keyFrameDrop = .none
            return
        }
        if skipping == .none || isReverse {
            increaseSkipping(at: now)
        } else if skipping == .nonReference {
            keyFrameDrop = lateness >= Self.uselessThreshold && !catchesUp ? .any : .nearby
        } else {
            jumpLatency = min(Self.maximumJumpLatency, (jumpLatency ?? 0) + lateness)
        }
    }

    /// Increases skipping by one step.
    private mutating func increaseSkipping(at now: HostTime) {
        guard let next = DecodeSkipping(rawValue: skipping.rawValue + 1) else { return }
        increaseSkipping(to: next, at: now)
    }

    mutating func increaseSkipping(to skipping: DecodeSkipping, at now: HostTime) {
        self.skipping = skipping
        skippingReducedAt = nil
        endLatePeriod()
        onTimeSince = nil
        guard skippedWhileBehind == nil else { return }
        skippedWhileBehind = 0
        pendingChange = .fellBehind
    }

    // MARK: In time

    private func isRecovering(_ now: HostTime) -> Bool {
        skippingReducedAt.map { now.nanoseconds(since: $0) < Self.recoveryPeriod } ?? false
    }

    private mutating func noteOnTime(_ now: HostTime, isWellOnTime: Bool) {
        guard isWellOnTime else {
            onTimeSince = nil
            return
        }
        let since = onTimeSince ?? now
        onTimeSince = since
        guard skipping > .none else { return reportKeepingUp(after: now.nanoseconds(since: since)) }
        let loadPredictsRecovery =
            load.loadForAllFrames(rate: rate).map { $0 < Self.sustainableLoad } ?? false
        guard backoff.hasElapsed(loadPredictsRecovery: loadPredictsRecovery, since: since, at: now) else {
            return
        }
        // The load overestimates the cost of skipped frames. If it does not predict that there is time, only an
        // attempt can show it.
        reduceSkipping(
            to: loadPredictsRecovery ? .none : DecodeSkipping(rawValue: skipping.rawValue - 1) ?? .none,
            at: now
        )
    }

    private mutating func reduceSkipping(to skipping: DecodeSkipping, at now: HostTime) {
        self.skipping = skipping
        skippingReducedAt = now
        onTimeSince = now
    }

    private mutating func reportKeepingUp(after onTimeDuration: Int64) {
        guard onTimeDuration >= Self.recoveryPeriod, let skipped = skippedWhileBehind else { return }
        backoff = SkipBackoff()
        skippingReducedAt = nil
        skippedWhileBehind = nil
        pendingChange = .keepsUp(skipped: skipped)
    }
}
