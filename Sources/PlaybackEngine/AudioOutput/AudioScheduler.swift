import MediaCore
import PlayheadBackend

/// The position of an audio buffer on the timeline.
struct AudioPlacement: Sendable {
    /// The origin of the buffer's pass.
    var origin: PassOrigin
    /// The item time at which the decoded buffer begins.
    var time: ItemTime
    /// The host time at which it is due.
    var due: HostTime
    var rate: PlaybackRate
    /// The epoch of the timeline.
    var epoch: Epoch

    func timelineTime(of buffer: AudioBuffer) -> TimelineTime {
        origin.timelineTime(of: ItemTime(buffer.presentationTime) ?? .zero)
    }

    /// Returns the host time at which audio is due that processing has returned for this audio. Processing holds some
    /// audio, so it may begin earlier.
    func due(of buffer: AudioBuffer) -> HostTime {
        let offset = (ItemTime(buffer.presentationTime) ?? time) - time
        let distance = rate.hostTime(for: Int64(clamping: offset.magnitude)) ?? 0
        return due.advanced(by: offset < 0 ? -distance : distance)
    }

    /// Returns the placement of audio in the pass before.
    ///
    /// - Parameters:
    ///   - origin: The origin of that pass.
    ///   - time: The item time of that audio.
    func earlier(in origin: PassOrigin, at time: ItemTime) -> AudioPlacement {
        let distance = self.origin.timelineTime(of: self.time) - origin.timelineTime(of: time)
        var placement = self
        placement.origin = origin
        placement.time = time
        placement.due = due.advanced(by: -(rate.hostTime(for: max(0, distance)) ?? 0))
        return placement
    }
}

/// Writes audio to a device so that each sample is heard at its time.
///
/// A gap between two buffers is filled with silence, and an overlap is dropped. `sampleMap` maps the samples to
/// the timeline.
///
/// `@unchecked Sendable`: confined to the audio lane, except for `sampleMap`, which has a lock.
final class AudioScheduler: @unchecked Sendable {
    let device: any AudioDeviceSink
    let sampleMap = Locked(AudioSampleMap())
    private let clock: any HostClock
    /// True if the audio starts during playback, so that late samples are skipped instead of delaying the
    /// timeline.
    private var startsMidStream = false
    /// True if the device rejected samples. The next buffer then starts after a flush.
    private var mustRestart = false

    init(_ device: any AudioDeviceSink, clock: any HostClock) {
        self.device = device
        self.clock = clock
    }

    func write(_ buffer: AudioBuffer, _ placement: AudioPlacement) throws {
        // The buffer was not stretched for this rate, so it cannot be played at it.
        guard placement.rate == .normal || buffer.rate != 1 else {
            device.setExpectsMore(false)
            if hasAudio { flush() }
            startsMidStream = true
            return
        }
        let media = placement.timelineTime(of: buffer)
        let (end, pass, epoch) = sampleMap.withLock { ($0.mediaEnd, $0.pass, $0.epoch) }
        guard let end, !mustRestart, epoch == placement.epoch, media - end >= -Self.longestOverlap,
            Self.streamTime(of: media - end, in: buffer) <= Self.longestSilence
        else {
            return try begin(buffer, media, placement)
        }
        let gap = media - end
        let isSeam = pass != buffer.pass
        let frame = Int64(1_000_000_000 / max(1, buffer.format.sampleRate))
        guard gap.magnitude > (isSeam ? UInt64(frame) : Self.timestampTolerance) else {
            return try writeMapped(buffer, media, placement)
        }
        let time = Self.streamTime(of: gap, in: buffer)
        if gap > 0 { try writeSilence(time, end, like: buffer, placement) }
        guard !mustRestart else { return }
        try writeMapped(trimmed(buffer, by: -time), max(media, end), placement)
    }

    /// Returns the duration in the stream, which differs from that in the item if the rate is not 1.
    private static func streamTime(of nanoseconds: Int64, in buffer: AudioBuffer) -> Int64 {
        Int64(clamping: Double(nanoseconds) / max(0.01, buffer.rate))
    }

    /// Writes the first samples after a flush, preceded by silence until they are due. If the audio starts
    /// during playback, late samples are skipped.
    private func begin(_ buffer: AudioBuffer, _ media: TimelineTime, _ placement: AudioPlacement) throws {
        guard device.writableFrameCount >= buffer.frameCount else { return dropBuffer() }
        if hasAudio {
            let isLate = startsMidStream
            flush()
            startsMidStream = isLate
        }
        mustRestart = false
        let heard = clock.now + device.startDelay
        let early = placement.due(of: buffer).nanoseconds(since: heard)
        if early > Int64(Self.timestampTolerance), !device.isConnecting {
            try writeSilence(early, media - placement.rate.mediaTime(for: early), like: buffer, placement)
            // Without the silence, the audio would be heard at once.
            guard !mustRestart else { return }
        } else if early < 0, startsMidStream {
            let remaining = trimmed(buffer, by: -early)
            guard remaining.frameCount > 0 else { return }
            startsMidStream = false
            return try writeMapped(remaining, placement.timelineTime(of: remaining), placement)
        }
        startsMidStream = false
        try writeMapped(buffer, media, placement)
    }

    private func writeMapped(_ buffer: AudioBuffer, _ media: TimelineTime, _ placement: AudioPlacement) throws
    {
        guard buffer.frameCount > 0 else { return }
        guard device.writableFrameCount >= buffer.frameCount else { return dropBuffer() }
        try device.write(buffer)
        sampleMap.withLock {
            $0.append(
                buffer.frameCount,
                media: media,
                rate: PlaybackRate(Float(buffer.rate)),
                sampleRate: buffer.format.sampleRate,
                epoch: placement.epoch,
                pass: buffer.pass
            )
        }
    }

    /// Drops a buffer for which the device has no capacity, because it is not available or much silence precedes it.
    private func dropBuffer() {
        mustRestart = true
        startsMidStream = true
    }

    private func writeSilence(
        _ nanoseconds: Int64,
        _ media: TimelineTime,
        like buffer: AudioBuffer,
        _ placement: AudioPlacement
    ) throws {
        let rate = buffer.format.sampleRate
        let count = Int(clamping: (Double(nanoseconds) * Double(rate) / 1e9).rounded())
        guard count > 0 else { return }
        // A file can leave a gap of decades, for which no memory is allocated.
        guard device.writableFrameCount >= count else { return dropBuffer() }
        var silence = AudioBuffer(
            format: buffer.format,
            presentationTime: buffer.presentationTime,
            frameCount: count,
            storage: SilentStorage(buffer.format, frameCount: count),
            epoch: buffer.epoch,
            pass: buffer.pass
        )
        silence.rate = buffer.rate
        try writeMapped(silence, media, placement)
    }

    /// Returns the buffer without its first `nanoseconds`.
    private func trimmed(_ buffer: AudioBuffer, by nanoseconds: Int64) -> AudioBuffer {
        guard nanoseconds > 0 else { return buffer }
        let count = Double(nanoseconds) * Double(buffer.format.sampleRate) / 1e9
        return buffer.trimmed(first: Int(clamping: min(count, 1e9).rounded()))
    }

    /// Discards what the device has not played. The next samples are placed at the position of the timeline.
    func restart() {
        flush()
        startsMidStream = true
    }

    /// Whether anything was written since the last flush.
    var hasAudio: Bool { sampleMap.withLock { $0.frameCount > 0 } }

    /// Discards what was written from `point` on, as far as the device can.
    ///
    /// - Returns: The timeline position of the next sample, or nil if nothing was written since the flush of
    ///   `point`.
    func rewind(to point: RateChangePoint) -> TimelineTime? {
        let (flushCount, count) = sampleMap.withLock { ($0.flushCount, $0.frameCount) }
        guard point.flushCount == flushCount, count > 0 else { return nil }
        let frame = device.rewind(to: point.frame) ?? count
        return sampleMap.withLock { $0.rewind(to: frame) }
    }

    func flush() {
        device.flush()
        sampleMap.withLock { $0.begin() }
        startsMidStream = false
        mustRestart = false
    }

    /// The tolerance of timestamps: 5 ms. Some containers have timestamps in whole milliseconds or even less
    /// exact ones.
    private static let timestampTolerance: UInt64 = 5_000_000
    /// The longest overlap in nanoseconds that is dropped. After a longer one, the audio starts after a flush.
    private static let longestOverlap: Int64 = 500_000_000
    /// The longest gap in nanoseconds of the stream that is filled with silence, for which the device has the capacity.
    /// After a longer one, the audio starts after a flush.
    private static let longestSilence: Int64 = 1_500_000_000
}
