package import MediaCore

/// What is heard when, measured against the timeline.
package struct SoundReading: Hashable, Sendable {
    /// What belongs to this moment of the timeline ...
    package var media: Int64
    /// ... is heard then.
    package var host: HostTime
    package var latency: Int64
    /// Times that samples were missing, so far.
    package var underruns: Int
    /// Of the timeline when the sound was written.
    package var epoch: Epoch

    package init(media: Int64, host: HostTime, latency: Int64 = 0, underruns: Int = 0, epoch: Epoch) {
        self.media = media
        self.host = host
        self.latency = latency
        self.underruns = underruns
        self.epoch = epoch
    }
}

/// What keeps timeline and sound together.
package enum SoundCorrection: Hashable, Sendable {
    /// The timeline runs so many millionths faster than its rate; below zero: slower.
    case pace(Int64)
    /// The timeline stands still for so long.
    case hold(Int64)
    /// The timeline leaps so far ahead.
    case step(Int64)
    /// So much of the sound is left out; below zero: so much silence goes before it.
    case moveSound(Int64)
    /// The sound begins anew where the timeline is.
    case restartSound
}

/// Chooses the clock: the device's where one plays, else the host's. It compares where the sound is with where
/// the timeline is, and says what to do about it. A plain value; time is handed in.
///
/// At a start the timeline waits for the sound, so that its beginning is heard. Where sound comes back in the
/// middle (after an underrun, or with a device that was away) it is the sound that gives way. In between, small
/// differences are run in, and the device's drift against the host's clock is learnt from them.
package struct SoundFollower: Hashable, Sendable {
    private enum Phase: Hashable, Sendable {
        /// No sound: the host's clock.
        case alone
        /// The first reading puts the two together.
        case meeting(soundGivesWay: Bool)
        case together
    }

    private var phase = Phase.meeting(soundGivesWay: false)
    private var underruns: Int?
    /// Readings before this are of a time before the last correction.
    private var settlesAt = HostTime.zero
    private var lastHost: HostTime?
    private var largeOffsets = 0
    /// Learnt drift, in millionths.
    private var drift = 0.0
    package private(set) var facts = AudioDeviceFacts()

    package init() {}

    package var isFollowing: Bool { phase == .together }

    /// Playing starts, after a stop or a jump: the timeline can wait for the sound.
    package mutating func start() {
        phase = .meeting(soundGivesWay: false)
        settlesAt = .zero
        lastHost = nil
        largeOffsets = 0
        facts.isClock = false
    }

    /// There is nothing to follow. Answers whether that is new.
    package mutating func lose() -> Bool {
        guard phase != .alone else { return false }
        let wasTogether = phase == .together
        // A device that was never there may come at any moment; then the start is long over.
        phase = .alone
        facts.isClock = false
        lastHost = nil
        return wasTogether
    }

    /// `media`: where the timeline is at the reading's host time; nil: the reading is of another epoch.
    package mutating func follow(_ reading: SoundReading, timeline media: Int64?) -> SoundCorrection? {
        guard let media else { return nil }
        facts.latency = reading.latency
        guard reading.host >= settlesAt else { return nil }
        let offset = reading.media &- media
        let ranDry = underruns.map { reading.underruns > $0 } ?? false
        underruns = reading.underruns
        facts.offset = offset
        if case .alone = phase { phase = .meeting(soundGivesWay: true) }
        if case .meeting(let soundGivesWay) = phase { return meet(offset, reading, soundGivesWay) }
        facts.worstOffset = max(facts.worstOffset, Int64(clamping: offset.magnitude))
        if offset.magnitude > Self.farOff { return restart(reading) }
        if ranDry, offset.magnitude > Self.closeEnough { return moveSound(offset, reading) }
        guard offset.magnitude <= Self.runIn else {
            // Once may be a mistake of the measurement.
            largeOffsets += 1
            return largeOffsets < Self.believed ? nil : moveTimeline(offset, reading)
        }
        largeOffsets = 0
        return .pace(pace(offset, at: reading.host))
    }

    private mutating func meet(
        _ offset: Int64,
        _ reading: SoundReading,
        _ soundGivesWay: Bool
    ) -> SoundCorrection? {
        let farOff = soundGivesWay || offset > 0 ? Self.farOff : Self.longestWait
        if offset.magnitude > farOff { return restart(reading) }
        phase = .together
        facts.isClock = true
        facts.worstOffset = 0
        lastHost = reading.host
        largeOffsets = 0
        if offset.magnitude <= Self.closeEnough { return .pace(Int64(drift.rounded())) }
        return soundGivesWay ? moveSound(offset, reading) : moveTimeline(offset, reading)
    }

    private mutating func restart(_ reading: SoundReading) -> SoundCorrection {
        phase = .alone
        facts.isClock = false
        facts.corrections += 1
        settlesAt = reading.host
        return .restartSound
    }

    private mutating func moveTimeline(_ offset: Int64, _ reading: SoundReading) -> SoundCorrection {
        largeOffsets = 0
        facts.corrections += 1
        settle(after: reading, for: max(0, -offset))
        return offset > 0 ? .step(offset) : .hold(-offset)
    }

    private mutating func moveSound(_ offset: Int64, _ reading: SoundReading) -> SoundCorrection {
        largeOffsets = 0
        facts.corrections += 1
        settle(after: reading, for: 0)
        return .moveSound(-offset)
    }

    /// What was under way when a correction was made is not measured again.
    private mutating func settle(after reading: SoundReading, for time: Int64) {
        settlesAt = reading.host.advanced(by: time &+ Self.settling)
        lastHost = nil
    }

    /// A controller with a proportional and an integral part: the one takes an offset away within about a second,
    /// the other learns the drift that keeps making it.
    private mutating func pace(_ offset: Int64, at host: HostTime) -> Int64 {
        let elapsed = lastHost.map { min(1, max(0, Double(host.nanoseconds(since: $0)) / 1e9)) } ?? 0
        lastHost = host
        let millionths = Double(offset) / 1000
        drift += millionths * elapsed * Self.learning
        drift = max(-Self.mostDrift, min(Self.mostDrift, drift))
        facts.drift = drift
        let run = max(-Self.mostPace, min(Self.mostPace, millionths))
        return Int64((drift + run).rounded())
    }

    /// 3 ms: less than what can be told apart by ear and eye.
    private static let closeEnough: Int64 = 3_000_000
    /// 40 ms: about a picture; beyond it running in would take too long.
    private static let runIn: Int64 = 40_000_000
    /// 400 ms: a picture that plays does not stop or leap for so long.
    private static let farOff: UInt64 = 400_000_000
    /// 2.5 s: so long a picture waits for the beginning of its sound. PulseAudio's null device, idle, is 2 s ahead.
    static let longestWait: UInt64 = 2_500_000_000
    /// 100 ms.
    private static let settling: Int64 = 100_000_000
    private static let believed = 3
    /// Millionths: half a percent is not seen.
    private static let mostPace = 5_000.0
    private static let mostDrift = 5_000.0
    /// Per second; a tenth of the square of the proportional part, so that it does not swing.
    private static let learning = 0.1
}
