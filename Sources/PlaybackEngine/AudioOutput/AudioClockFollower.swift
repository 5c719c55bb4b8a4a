package import MediaCore
import PlayheadBackend

/// Chooses the clock: the device's where one plays, else the host's. It compares where the audio is with where
/// the timeline is, and says what to do about it. A plain value; time is handed in.
///
/// At a start the timeline waits for the audio, so that the beginning of the audio is heard. Where audio comes back
/// in the middle (after an underrun, or with a device that was away) the audio gives way. In between, the pace of
/// the timeline takes small differences away, and the drift of the device's clock against the host's is learnt
/// from them.
package struct AudioClockFollower: Hashable, Sendable {
    private enum Phase: Hashable, Sendable {
        /// No audio is heard: the host's clock counts.
        case alone
        /// The first reading puts the two together.
        case meeting(soundGivesWay: Bool)
        case together
    }

    private var phase = Phase.meeting(soundGivesWay: false)
    private var underruns: Int?
    /// Readings from before this do not know of the last correction.
    private var settlesAt = HostTime.zero
    private var lastHost: HostTime?
    private var largeOffsets = 0
    /// Learnt drift, in millionths.
    private var drift = 0.0
    package private(set) var facts = AudioDeviceFacts()

    package init() {}

    package var isFollowing: Bool { phase == .together }

    /// Playing starts, after a stop or a jump: the timeline can wait for the audio.
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
        // A device that was not there at the start may still come. Then the start is over.
        phase = .alone
        facts.isClock = false
        lastHost = nil
        return wasTogether
    }

    /// `media`: where the timeline is at the reading's host time; nil: the reading is of another epoch.
    package mutating func follow(_ reading: AudioClockReading, timeline media: TimelineTime?)
        -> AudioClockCorrection?
    {
        guard let media else { return nil }
        facts.latency = reading.latency
        guard reading.host >= settlesAt else { return nil }
        let offset = reading.media - media
        let starved = underruns.map { reading.underruns > $0 } ?? false
        underruns = reading.underruns
        facts.offset = offset
        if case .alone = phase { phase = .meeting(soundGivesWay: true) }
        if case .meeting(let soundGivesWay) = phase { return meet(offset, reading, soundGivesWay) }
        facts.worstOffset = max(facts.worstOffset, Int64(clamping: offset.magnitude))
        if offset.magnitude > Self.farOff { return restart(reading) }
        if starved, offset.magnitude > Self.closeEnough { return moveAudio(offset, reading) }
        guard offset.magnitude <= Self.runIn else {
            // A single large offset may be a mistake of the measurement.
            largeOffsets += 1
            return largeOffsets < Self.believed ? nil : moveTimeline(offset, reading)
        }
        largeOffsets = 0
        return .pace(pace(offset, at: reading.host))
    }

    private mutating func meet(
        _ offset: Int64,
        _ reading: AudioClockReading,
        _ soundGivesWay: Bool
    ) -> AudioClockCorrection? {
        let farOff = soundGivesWay || offset > 0 ? Self.farOff : Self.longestWait
        if offset.magnitude > farOff { return restart(reading) }
        phase = .together
        facts.isClock = true
        facts.worstOffset = 0
        lastHost = reading.host
        largeOffsets = 0
        if offset.magnitude <= Self.closeEnough { return .pace(Int64(drift.rounded())) }
        return soundGivesWay ? moveAudio(offset, reading) : moveTimeline(offset, reading)
    }

    private mutating func restart(_ reading: AudioClockReading) -> AudioClockCorrection {
        phase = .alone
        facts.isClock = false
        facts.corrections += 1
        settlesAt = reading.host
        return .restartAudio
    }

    private mutating func moveTimeline(_ offset: Int64, _ reading: AudioClockReading) -> AudioClockCorrection
    {
        largeOffsets = 0
        facts.corrections += 1
        settle(after: reading, for: max(0, -offset))
        return offset > 0 ? .step(offset) : .hold(-offset)
    }

    private mutating func moveAudio(_ offset: Int64, _ reading: AudioClockReading) -> AudioClockCorrection {
        largeOffsets = 0
        facts.corrections += 1
        settle(after: reading, for: 0)
        return .moveAudio(-offset)
    }

    /// Audio that was under way when a correction was made is not measured again.
    private mutating func settle(after reading: AudioClockReading, for nanoseconds: Int64) {
        settlesAt = reading.host.advanced(by: nanoseconds &+ Self.settling)
        lastHost = nil
    }

    /// A controller with a proportional and an integral part. The first takes an offset away within about a second.
    /// The second learns the drift that makes the offset come back.
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

    /// 3 ms: ear and eye cannot tell it.
    private static let closeEnough: Int64 = 3_000_000
    /// 40 ms, about one video frame. To take more away by pace would last too long.
    private static let runIn: Int64 = 40_000_000
    /// 400 ms: video that plays must not stop or leap for longer.
    private static let farOff: UInt64 = 400_000_000
    /// 2.5 s: video waits so long for the beginning of its audio. PulseAudio's null device, idle, is 2 s ahead.
    static let longestWait: UInt64 = 2_500_000_000
    /// 100 ms.
    private static let settling: Int64 = 100_000_000
    private static let believed = 3
    /// Millionths: half a percent is not seen.
    private static let mostPace = 5_000.0
    private static let mostDrift = 5_000.0
    /// Per second. A tenth of the square of the proportional part, so that the pace does not swing.
    private static let learning = 0.1
}
