import MediaCore
import PlayheadBackend

/// Where a buffer of audio belongs.
struct AudioPlacement: Sendable {
    /// The pass that the buffer belongs to.
    var origin: PassOrigin
    /// The item time at which the decoded buffer begins.
    var time: ItemTime
    /// When that is to be heard.
    var due: HostTime
    var rate: PlaybackRate
    /// The timeline's.
    var epoch: Epoch

    func timelineTime(of buffer: AudioBuffer) -> TimelineTime {
        origin.timelineTime(of: ItemTime(buffer.presentationTime) ?? .zero)
    }
}

/// Writes audio to a device so that each sample is heard in its place. A gap between two buffers is filled with
/// silence, and an overlap is left out. The ledger says which sample lies where on the timeline.
///
/// `@unchecked Sendable`: confined to the audio lane, except for the ledger, which has a lock.
final class AudioScheduler: @unchecked Sendable {
    let device: any AudioDeviceSink
    let sampleMap = Locked(AudioSampleMap())
    private let clock: any HostClock
    /// The audio begins in the middle: late samples are left out instead of waited for.
    private var startsMidStream = false
    /// The device did not take samples. The next buffer begins a new run.
    private var mustRestart = false

    init(_ device: any AudioDeviceSink, clock: any HostClock) {
        self.device = device
        self.clock = clock
    }

    func write(_ buffer: AudioBuffer, _ placement: AudioPlacement) throws {
        // The buffer was not time-stretched for this rate, so it cannot be played at it.
        guard placement.rate == .normal || buffer.rate != 1 else {
            device.setExpectsMore(false)
            if hasAudio { flush() }
            startsMidStream = true
            return
        }
        let media = placement.timelineTime(of: buffer)
        let (end, pass, epoch) = sampleMap.withLock { ($0.mediaEnd, $0.pass, $0.epoch) }
        guard let end, !mustRestart, epoch == placement.epoch, Self.joinableGap.contains(media - end) else {
            return try begin(buffer, media, placement)
        }
        let gap = media - end
        let isSeam = pass != buffer.pass
        let frame = Int64(1_000_000_000 / max(1, buffer.format.sampleRate))
        guard gap.magnitude > (isSeam ? UInt64(frame) : Self.timestampTolerance) else {
            return try writeMapped(buffer, media, placement)
        }
        // In time of the stream. At another rate that is not time of the item.
        let time = Int64(Double(gap) / max(0.01, buffer.rate))
        if gap > 0 { try writeSilence(time, end, like: buffer, placement) }
        try writeMapped(trimmed(buffer, by: -time), max(media, end), placement)
    }

    /// Writes the first samples of a run, behind silence until they are due. Where the audio begins in the middle,
    /// late samples are left out.
    private func begin(_ buffer: AudioBuffer, _ media: TimelineTime, _ placement: AudioPlacement) throws {
        guard device.writableFrameCount >= buffer.frameCount else { return dropBuffer() }
        if hasAudio {
            let isLate = startsMidStream
            flush()
            startsMidStream = isLate
        }
        mustRestart = false
        let heard = clock.now.advanced(by: device.startDelay)
        let offset = (ItemTime(buffer.presentationTime) ?? placement.time) - placement.time
        let due = placement.due.advanced(by: placement.rate.hostTime(for: offset) ?? 0)
        let early = due.nanoseconds(since: heard)
        if early > Int64(Self.timestampTolerance), !device.isConnecting {
            try writeSilence(early, media - placement.rate.mediaTime(for: early), like: buffer, placement)
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

    /// The device has no room: it is away.
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
        let count = Int((Double(nanoseconds) * Double(rate) / 1e9).rounded())
        guard count > 0 else { return }
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

    /// Without the samples of its first nanoseconds.
    private func trimmed(_ buffer: AudioBuffer, by nanoseconds: Int64) -> AudioBuffer {
        guard nanoseconds > 0 else { return buffer }
        let count = Double(nanoseconds) * Double(buffer.format.sampleRate) / 1e9
        return buffer.trimmed(first: Int(min(count, 1e9).rounded()))
    }

    /// Drops what the device has not played yet. The next samples go where the timeline is then.
    func restart() {
        flush()
        startsMidStream = true
    }

    /// Something was written since the last flush.
    var hasAudio: Bool { sampleMap.withLock { $0.frameCount > 0 } }

    /// Takes back what was written from `point` on, as far as the device can. The result says where on the timeline
    /// the next sample belongs; nil: nothing was written since that flush.
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

    /// 5 ms: time stamps of some containers are whole milliseconds, and some are worse.
    private static let timestampTolerance: UInt64 = 5_000_000
    /// Nanoseconds. With more overlap than half a second, or a gap that is too long to be filled with silence, a
    /// new run begins.
    private static let joinableGap: ClosedRange<Int64> = -500_000_000...1_500_000_000
}
