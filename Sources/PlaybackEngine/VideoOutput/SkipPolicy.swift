import MediaCore
import PlayheadBackend

/// What one update of the loop saw of a video track.
struct DecodeSample {
    var now: HostTime
    /// 0 while time stands still.
    var rate: Float
    /// By how many host nanoseconds the newest frame was late. 0: the next frame is decoded before its time.
    /// nil: no frame came.
    var lateness: Int64?
    /// The decoder has packets, and room for frames.
    var isDecoding = false
    /// Frames that were shown since the last sample, and how many nanoseconds of item time each is due.
    var decoded = 0
    var duration: Int64 = 0
    /// Frames that were left out since then.
    var skipped = 0
}

/// Decides which video frames are left out where decoding is too slow, so that the clock is kept at every rate.
///
/// First frames that no other frame refers to are left out. Where that is not enough, decoding goes on at
/// another key frame (see `SkipPolicy+Jump`). Where such jumps follow each other closely, only key frames are
/// decoded. Frames that are left out come back when decoding is fast enough for them. Nothing is left out on
/// the virtual clock, where no frame can be late.
struct SkipPolicy {
    /// Decoding falls behind, or keeps up again after that.
    enum PerformanceChange: Hashable {
        case fellBehind
        case keepsUp(skipped: Int)
    }

    /// How much a jump may cost.
    enum KeyFrameDrop: Int, Comparable {
        case none
        /// To a key frame that is close enough.
        case nearby
        /// To any key frame: late frames are of no use any more.
        case any

        static func < (a: KeyFrameDrop, b: KeyFrameDrop) -> Bool { a.rawValue < b.rawValue }
    }

    /// Frames have been late without a break.
    private struct LatePeriod {
        var since: HostTime
        /// Lateness is watched from here: decoding may be catching up by itself.
        var checkedFrom: HostTime
        var lateness: Int64
    }

    private(set) var skipping = DecodeSkipping.none
    private(set) var keyFrameDrop = KeyFrameDrop.none
    /// Host nanoseconds by which the newest frame was late.
    private(set) var lateness: Int64 = 0
    private(set) var rate: Float = 0
    private(set) var load = DecodeLoad()
    private var latePeriod: LatePeriod?
    private var onTimeSince: HostTime?
    private var skippingReducedAt: HostTime?
    private var backoff = SkipBackoff()
    /// Frames that were left out since decoding fell behind; nil: it keeps up.
    private var skippedWhileBehind: Int?
    private var pendingChange: PerformanceChange?

    /// What the stage was last told; see `SkipPolicy+Follow`.
    var lastRequest: SkipRequest?
    private var followedTrack: (epoch: Epoch, track: ObjectIdentifier)?
    /// Where the last jump goes, until its frame is there; see `SkipPolicy+Jump`.
    var pendingJump: KeyFrameJump?
    var lastJumpAt: HostTime?
    /// Host nanoseconds from a jump until its key frame is decoded, as far as is known.
    var jumpLatency: Int64?

    // All in host nanoseconds.

    /// A frame that is later than this shows that decoding falls behind.
    static let lateThreshold: Int64 = 100_000_000
    private static let onTimeThreshold: Int64 = 20_000_000
    /// Late frames are of no use any more.
    static let uselessThreshold: Int64 = 1_000_000_000
    /// Lateness is watched for so long. In that time it must decrease by a tenth of it, or decoding is behind.
    private static let latenessCheckInterval: Int64 = 150_000_000
    /// Catching up may take so long.
    private static let maximumCatchUpTime: Int64 = 1_000_000_000
    /// After more frames are decoded again, the first late one ends the attempt.
    private static let recoveryPeriod: Int64 = 2_000_000_000
    private static let recoveryLateThreshold: Int64 = 50_000_000
    /// With less than this to do, a decoder keeps up.
    private static let sustainableLoad = 0.9

    /// Each frame tells how long decoding takes, as long as some are left out.
    var measuresLoad: Bool { skipping > .none && rate != 0 }

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

    /// Another epoch, and with another track another decoder.
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

    /// What was measured says nothing about what follows: another place, or after a pause.
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

    mutating func takePendingChange() -> PerformanceChange? {
        defer { pendingChange = nil }
        return pendingChange
    }

    /// A lower rate may need nothing left out. A pause, or a higher rate, changes nothing about the machine.
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

    /// The rate before a pause.
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

    /// One level up.
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
        // The load counts what is left out as dear as the rest, which it is not: where it does not promise that
        // there is time, only trying shows.
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
