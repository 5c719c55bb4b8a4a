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
        case hostClock
        /// The first reading puts the two together.
        case synchronizing(adjustsAudio: Bool)
        case synchronized
    }

    private var phase = Phase.synchronizing(adjustsAudio: false)
    private var underruns: Int?
    /// Readings from before this do not know of the last correction.
    private var ignoresReadingsBefore = HostTime.zero
    private var lastHost: HostTime?
    private var largeOffsets = 0
    /// Learnt drift, in millionths.
    private var drift = 0.0
    package private(set) var facts = AudioDeviceFacts()

    package init() {}

    package var isFollowing: Bool { phase == .synchronized }

    /// Playing starts, after a stop or a jump: the timeline can wait for the audio.
    package mutating func start() {
        phase = .synchronizing(adjustsAudio: false)
        ignoresReadingsBefore = .zero
        lastHost = nil
        largeOffsets = 0
        facts.isClock = false
    }

    /// There is nothing to follow. Answers whether that is new.
    package mutating func stopFollowing() -> Bool {
        guard phase != .hostClock else { return false }
        let wasFollowing = phase == .synchronized
        // A device that was not there at the start may still come. Then the start is over.
        phase = .hostClock
        facts.isClock = false
        lastHost = nil
        return wasFollowing
    }

    /// `media`: where the timeline is at the reading's host time; nil: the reading is of another epoch.
    package mutating func follow(_ reading: AudioClockReading, timeline media: TimelineTime?)
        -> AudioClockCorrection?
    {
        guard let media else { return nil }
        facts.latency = reading.latency
        guard reading.host >= ignoresReadingsBefore else { return nil }
        let offset = reading.media - media
        let hadUnderrun = underruns.map { reading.underruns > $0 } ?? false
        underruns = reading.underruns
        facts.offset = offset
        if case .hostClock = phase { phase = .synchronizing(adjustsAudio: true) }
        if case .synchronizing(let adjustsAudio) = phase { return synchronize(offset, reading, adjustsAudio) }
        facts.worstOffset = max(facts.worstOffset, Int64(clamping: offset.magnitude))
        if offset.magnitude > Self.restartThreshold { return restart(reading) }
        if hadUnderrun, offset.magnitude > Self.syncTolerance { return moveAudio(offset, reading) }
        guard offset.magnitude <= Self.maximumPacedOffset else {
            // A single large offset may be a mistake of the measurement.
            largeOffsets += 1
            return largeOffsets < Self.requiredLargeOffsets ? nil : moveTimeline(offset, reading)
        }
        largeOffsets = 0
        return .pace(pace(offset, at: reading.host))
    }

    private mutating func synchronize(
        _ offset: Int64,
        _ reading: AudioClockReading,
        _ adjustsAudio: Bool
    ) -> AudioClockCorrection? {
        let limit = adjustsAudio || offset > 0 ? Self.restartThreshold : Self.maximumStartDelay
        if offset.magnitude > limit { return restart(reading) }
        phase = .synchronized
        facts.isClock = true
        facts.worstOffset = 0
        lastHost = reading.host
        largeOffsets = 0
        if offset.magnitude <= Self.syncTolerance { return .pace(Int64(drift.rounded())) }
        return adjustsAudio ? moveAudio(offset, reading) : moveTimeline(offset, reading)
    }

    private mutating func restart(_ reading: AudioClockReading) -> AudioClockCorrection {
        phase = .hostClock
        facts.isClock = false
        facts.corrections += 1
        ignoresReadingsBefore = reading.host
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
        ignoresReadingsBefore = reading.host.advanced(by: nanoseconds &+ Self.settlingTime)
        lastHost = nil
    }

    /// A controller with a proportional and an integral part. The first takes an offset away within about a second.
    /// The second learns the drift that makes the offset come back.
    private mutating func pace(_ offset: Int64, at host: HostTime) -> Int64 {
        let elapsed = lastHost.map { min(1, max(0, Double(host.nanoseconds(since: $0)) / 1e9)) } ?? 0
        lastHost = host
        let millionths = Double(offset) / 1000
        drift += millionths * elapsed * Self.driftGain
        drift = max(-Self.maximumDrift, min(Self.maximumDrift, drift))
        facts.drift = drift
        let correction = max(-Self.maximumPace, min(Self.maximumPace, millionths))
        return Int64((drift + correction).rounded())
    }

    /// 3 ms: ear and eye cannot tell it.
    private static let syncTolerance: Int64 = 3_000_000
    /// 40 ms, about one video frame. To take more away by pace would last too long.
    private static let maximumPacedOffset: Int64 = 40_000_000
    /// 400 ms: video that plays must not stop or leap for longer.
    private static let restartThreshold: UInt64 = 400_000_000
    /// 2.5 s: video waits so long for the beginning of its audio. PulseAudio's null device, idle, is 2 s ahead.
    static let maximumStartDelay: UInt64 = 2_500_000_000
    /// 100 ms.
    private static let settlingTime: Int64 = 100_000_000
    private static let requiredLargeOffsets = 3
    /// Millionths: half a percent is not seen.
    private static let maximumPace = 5_000.0
    private static let maximumDrift = 5_000.0
    /// Per second. A tenth of the square of the proportional part, so that the pace does not swing.
    private static let driftGain = 0.1
}
