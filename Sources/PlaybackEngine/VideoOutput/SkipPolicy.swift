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
    enum Urgency: Int, Comparable {
        case none
        /// To a key frame that is close enough.
        case near
        /// To any key frame: late frames are of no use any more.
        case any

        static func < (a: Urgency, b: Urgency) -> Bool { a.rawValue < b.rawValue }
    }

    /// Frames have been late without a break.
    private struct LatePeriod {
        var since: HostTime
        /// Lateness is watched from here: decoding may be catching up by itself.
        var watchedFrom: HostTime
        var lateness: Int64
    }

    private(set) var level = DecodeSkipping.none
    private(set) var urgency = Urgency.none
    /// Host nanoseconds by which the newest frame was late.
    private(set) var lateness: Int64 = 0
    private(set) var rate: Float = 0
    private(set) var load = DecodeLoad()
    private var spell: LatePeriod?
    private var calmSince: HostTime?
    private var loweredAt: HostTime?
    private var patience = SkipBackoff()
    /// Frames that were left out since decoding fell behind; nil: it keeps up.
    private var skippedSince: Int?
    private var news: PerformanceChange?

    /// What the stage was last told; see `SkipPolicy+Follow`.
    var lastRequest: SkipRequest?
    private var followed: (epoch: Epoch, track: ObjectIdentifier)?
    /// Where the last jump goes, until its frame is there; see `SkipPolicy+Jump`.
    var landing: KeyFrameJump?
    var jumpedAt: HostTime?
    /// Host nanoseconds from a jump until its key frame is decoded, as far as is known.
    var lead: Int64?

    // All in host nanoseconds.

    /// A frame that is later than this shows that decoding falls behind.
    static let late: Int64 = 100_000_000
    private static let inTime: Int64 = 20_000_000
    /// Late frames are of no use any more.
    static let useless: Int64 = 1_000_000_000
    /// Lateness is watched for so long. In that time it must decrease by a tenth of it, or decoding is behind.
    private static let watch: Int64 = 150_000_000
    /// Catching up may take so long.
    private static let longestSpell: Int64 = 1_000_000_000
    /// After more frames are decoded again, the first late one ends the attempt.
    private static let trial: Int64 = 2_000_000_000
    private static let lateOnTrial: Int64 = 50_000_000
    /// With less than this to do, a decoder keeps up.
    private static let sustainable = 0.9

    /// Each frame tells how long decoding takes, as long as some are left out.
    var measures: Bool { level > .none && rate != 0 }

    mutating func note(_ sample: DecodeSample, isReverse: Bool) {
        if skippedSince != nil { skippedSince? += sample.skipped }
        changeRate(to: sample.rate)
        guard rate != 0 else { return }
        load.note(sample)
        guard let lateness = sample.lateness else { return }
        self.lateness = lateness
        let limit = isOnTrial(sample.now) ? Self.lateOnTrial : Self.late
        if lateness > limit {
            noteLate(sample.now, isReverse: isReverse)
        } else {
            endSpell()
            noteInTime(sample.now, isCalm: lateness < Self.inTime)
        }
    }

    /// Another epoch, and with another track another decoder.
    mutating func begin(_ epoch: Epoch, _ track: ObjectIdentifier) {
        guard followed?.epoch != epoch else { return }
        restart()
        if followed?.track != track {
            level = .none
            patience = SkipBackoff()
            loweredAt = nil
            lead = nil
            jumpedAt = nil
        }
        followed = (epoch, track)
    }

    /// What was measured says nothing about what follows: another place, or after a pause.
    mutating func restart() {
        endSpell()
        calmSince = nil
        load = DecodeLoad()
        landing = nil
    }

    mutating func endSpell() {
        spell = nil
        urgency = .none
    }

    mutating func takePendingChange() -> PerformanceChange? {
        defer { news = nil }
        return news
    }

    /// A lower rate may need nothing left out. A pause, or a higher rate, changes nothing about the machine.
    private mutating func changeRate(to new: Float) {
        guard new != rate else { return }
        restart()
        if new != 0, abs(new) < abs(playedRate) || (new < 0) != (playedRate < 0) {
            level = .none
            patience = SkipBackoff()
            loweredAt = nil
        }
        rate = new
        if new != 0 { playedRate = new }
    }

    /// The rate before a pause.
    private var playedRate: Float = 0

    // MARK: Too late

    private mutating func noteLate(_ now: HostTime, isReverse: Bool) {
        calmSince = nil
        if isOnTrial(now) {
            patience.failed()
            return raise(at: now)
        }
        guard let watched = spell else {
            spell = LatePeriod(since: now, watchedFrom: now, lateness: lateness)
            return
        }
        let time = now.nanoseconds(since: watched.watchedFrom)
        guard time >= Self.watch else { return }
        spell?.watchedFrom = now
        spell?.lateness = lateness
        let catchesUp = lateness <= watched.lateness - time / 10
        let isTooLong = now.nanoseconds(since: watched.since) >= Self.longestSpell
        guard !catchesUp || isTooLong else {
            urgency = .none
            return
        }
        if level == .none || isReverse {
            raise(at: now)
        } else if level == .nonReference {
            urgency = lateness >= Self.useless && !catchesUp ? .any : .near
        } else {
            lead = min(Self.longestLead, (lead ?? 0) + lateness)
        }
    }

    /// One level up.
    private mutating func raise(at now: HostTime) {
        guard let next = DecodeSkipping(rawValue: level.rawValue + 1) else { return }
        raise(to: next, at: now)
    }

    mutating func raise(to level: DecodeSkipping, at now: HostTime) {
        self.level = level
        loweredAt = nil
        endSpell()
        calmSince = nil
        guard skippedSince == nil else { return }
        skippedSince = 0
        news = .fellBehind
    }

    // MARK: In time

    private func isOnTrial(_ now: HostTime) -> Bool {
        loweredAt.map { now.nanoseconds(since: $0) < Self.trial } ?? false
    }

    private mutating func noteInTime(_ now: HostTime, isCalm: Bool) {
        guard isCalm else {
            calmSince = nil
            return
        }
        let since = calmSince ?? now
        calmSince = since
        guard level > .none else { return endEpisode(after: now.nanoseconds(since: since)) }
        let isPromised = load.shareForAll(rate: rate).map { $0 < Self.sustainable } ?? false
        guard patience.isOver(isPromised: isPromised, since: since, at: now) else { return }
        // The load counts what is left out as dear as the rest, which it is not: where it does not promise that
        // there is time, only trying shows.
        lower(to: isPromised ? .none : DecodeSkipping(rawValue: level.rawValue - 1) ?? .none, at: now)
    }

    private mutating func lower(to level: DecodeSkipping, at now: HostTime) {
        self.level = level
        loweredAt = now
        calmSince = now
    }

    private mutating func endEpisode(after calm: Int64) {
        guard calm >= Self.trial, let skipped = skippedSince else { return }
        patience = SkipBackoff()
        loweredAt = nil
        skippedSince = nil
        news = .keepsUp(skipped: skipped)
    }
}
