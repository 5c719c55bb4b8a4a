package import MediaCore
import PlayheadBackend

/// Chooses the clock: that of the audio device while one plays, otherwise that of the host. It compares the
/// position of the audio with that of the timeline, and returns the correction to make.
///
/// At a start the timeline waits for the audio, so that the beginning of the audio is heard. If the time of the
/// start is set, or audio returns during playback (after an underrun, or when a device becomes available), the
/// audio is corrected. In between, the pace of the timeline corrects small offsets, and the drift between the
/// device's clock and the host's is learned from them.
///
/// It is a plain value; time is an argument.
package struct AudioClockFollower: Hashable, Sendable {
    private enum Phase: Hashable, Sendable {
        /// No audio is heard, and the host's clock is used.
        case hostClock
        /// The first reading synchronizes the two, by adjusting either the audio or the timeline.
        case synchronizing(adjustsAudio: Bool)
        case synchronized
    }

    private var phase = Phase.synchronizing(adjustsAudio: false)
    private var underruns: Int?
    /// Readings before this time do not reflect the last correction.
    private var ignoresReadingsBefore = HostTime.zero
    private var lastHost: HostTime?
    private var largeOffsets = 0
    /// The learned drift in millionths.
    private var drift = 0.0
    package private(set) var facts = AudioDeviceFacts()

    package init() {}

    package var isFollowing: Bool { phase == .synchronized }

    /// Prepares for a start of playback after a stop or a jump.
    ///
    /// - Parameter adjustsAudio: Whether the time of the start is set, so that the timeline cannot wait for the audio.
    package mutating func start(adjustsAudio: Bool = false) {
        phase = .synchronizing(adjustsAudio: adjustsAudio)
        ignoresReadingsBefore = .zero
        lastHost = nil
        largeOffsets = 0
        facts.isClock = false
    }

    /// Stops following the device, because there are no readings. Returns true if the device was followed
    /// before.
    package mutating func stopFollowing() -> Bool {
        guard phase != .hostClock else { return false }
        let wasFollowing = phase == .synchronized
        // A device that was not available at the start may still become available, but then the start is over.
        phase = .hostClock
        facts.isClock = false
        lastHost = nil
        return wasFollowing
    }

    /// Returns the correction that a reading requires, or nil if there is none.
    ///
    /// - Parameters:
    ///   - reading: A reading of the audio device.
    ///   - media: The position of the timeline at the host time of the reading, or nil if the reading belongs
    ///     to another epoch.
    package mutating func follow(_ reading: AudioClockReading, timeline media: TimelineTime?)
        -> AudioClockCorrection?
    {
        guard let media else { return nil }
        facts.latency = .nanoseconds(reading.latency)
        guard reading.host >= ignoresReadingsBefore else { return nil }
        let offset = reading.media - media
        let hadUnderrun = underruns.map { reading.underruns > $0 } ?? false
        underruns = reading.underruns
        facts.offset = .nanoseconds(offset)
        if case .hostClock = phase { phase = .synchronizing(adjustsAudio: true) }
        if case .synchronizing(let adjustsAudio) = phase { return synchronize(offset, reading, adjustsAudio) }
        facts.worstOffset = max(facts.worstOffset, .nanoseconds(Int64(clamping: offset.magnitude)))
        if offset.magnitude > Self.restartThreshold { return restart(reading) }
        if hadUnderrun, offset.magnitude > Self.syncTolerance { return moveAudio(offset, reading) }
        guard offset.magnitude <= Self.maximumPacedOffset else {
            // A single large offset may be a measurement error.
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
        facts.worstOffset = .zero
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

    /// Ignores readings of audio that was on its way to the device when a correction was made.
    private mutating func settle(after reading: AudioClockReading, for nanoseconds: Int64) {
        ignoresReadingsBefore = reading.host.advanced(by: nanoseconds &+ Self.settlingTime)
        lastHost = nil
    }

    /// Returns the pace from a controller with a proportional and an integral part.
    ///
    /// The proportional part removes an offset within about a second. The integral part learns the drift that
    /// causes the offset to recur.
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

    /// The offset below which nothing is corrected at a start: 3 ms, which is imperceptible.
    private static let syncTolerance: Int64 = 3_000_000
    /// The largest offset that is corrected by pace: 40 ms, about one video frame. Correcting more would take
    /// too long.
    private static let maximumPacedOffset: Int64 = 40_000_000
    /// The offset from which on the audio restarts: 400 ms. Video that plays must not stop or jump for longer.
    private static let restartThreshold: UInt64 = 400_000_000
    /// The longest time that video waits for the beginning of its audio: 2.5 s. The idle null device of
    /// PulseAudio is 2 s ahead.
    static let maximumStartDelay: UInt64 = 2_500_000_000
    /// The time after a correction during which readings are ignored: 100 ms.
    private static let settlingTime: Int64 = 100_000_000
    /// The number of consecutive large offsets after which the timeline is moved.
    private static let requiredLargeOffsets = 3
    /// The largest pace correction in millionths: 0.5 %, which is not noticeable.
    private static let maximumPace = 5_000.0
    /// The largest drift in millionths.
    private static let maximumDrift = 5_000.0
    /// The gain of the integral part per second: a tenth of the square of the proportional gain, so that the
    /// pace does not oscillate.
    private static let driftGain = 0.1
}
