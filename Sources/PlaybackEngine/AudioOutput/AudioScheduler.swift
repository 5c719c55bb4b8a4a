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
    let ledger = Locked(AudioSampleMap())
    private let clock: any HostClock
    /// The audio begins in the middle: late samples are left out instead of waited for.
    private var beginsLate = false
    /// The device did not take samples. The next buffer begins a new run.
    private var isBroken = false

    init(_ device: any AudioDeviceSink, clock: any HostClock) {
        self.device = device
        self.clock = clock
    }

    func write(_ buffer: AudioBuffer, _ place: AudioPlacement) throws {
        // The buffer was not time-stretched for this rate, so it cannot be played at it.
        guard place.rate == .normal || buffer.rate != 1 else {
            device.setExpectsMore(false)
            if hasSound { flush() }
            beginsLate = true
            return
        }
        let media = place.timelineTime(of: buffer)
        let (end, pass, epoch) = ledger.withLock { ($0.mediaEnd, $0.pass, $0.epoch) }
        guard let end, !isBroken, epoch == place.epoch, Self.joinable.contains(media - end) else {
            return try begin(buffer, media, place)
        }
        let gap = media - end
        let isSeam = pass != buffer.pass
        let frame = Int64(1_000_000_000 / max(1, buffer.format.sampleRate))
        guard gap.magnitude > (isSeam ? UInt64(frame) : Self.jitter) else {
            return try put(buffer, media, place)
        }
        // In time of the stream. At another rate that is not time of the item.
        let time = Int64(Double(gap) / max(0.01, buffer.rate))
        if gap > 0 { try putSilence(time, end, like: buffer, place) }
        try put(trimmed(buffer, by: -time), max(media, end), place)
    }

    /// Writes the first samples of a run, behind silence until they are due. Where the audio begins in the middle,
    /// late samples are left out.
    private func begin(_ buffer: AudioBuffer, _ media: TimelineTime, _ place: AudioPlacement) throws {
        guard device.room >= buffer.frameCount else { return lose() }
        if hasSound {
            let isLate = beginsLate
            flush()
            beginsLate = isLate
        }
        isBroken = false
        let heard = clock.now.advanced(by: device.startDelay)
        let behind = (ItemTime(buffer.presentationTime) ?? place.time) - place.time
        let due = place.due.advanced(by: place.rate.hostTime(for: behind) ?? 0)
        let early = due.nanoseconds(since: heard)
        if early > Int64(Self.jitter), !device.isConnecting {
            try putSilence(early, media - place.rate.mediaTime(for: early), like: buffer, place)
        } else if early < 0, beginsLate {
            let rest = trimmed(buffer, by: -early)
            guard rest.frameCount > 0 else { return }
            beginsLate = false
            return try put(rest, place.timelineTime(of: rest), place)
        }
        beginsLate = false
        try put(buffer, media, place)
    }

    private func put(_ buffer: AudioBuffer, _ media: TimelineTime, _ place: AudioPlacement) throws {
        guard buffer.frameCount > 0 else { return }
        guard device.room >= buffer.frameCount else { return lose() }
        try device.write(buffer)
        ledger.withLock {
            $0.append(
                buffer.frameCount,
                media: media,
                rate: PlaybackRate(Float(buffer.rate)),
                sampleRate: buffer.format.sampleRate,
                epoch: place.epoch,
                pass: buffer.pass
            )
        }
    }

    /// The device has no room: it is away.
    private func lose() {
        isBroken = true
        beginsLate = true
    }

    private func putSilence(
        _ nanoseconds: Int64,
        _ media: TimelineTime,
        like buffer: AudioBuffer,
        _ place: AudioPlacement
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
        try put(silence, media, place)
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
        beginsLate = true
    }

    /// Something was written since the last flush.
    var hasSound: Bool { ledger.withLock { $0.frameCount > 0 } }

    /// Takes back what was written from `point` on, as far as the device can. The result says where on the timeline
    /// the next sample belongs; nil: nothing was written since that flush.
    func rewind(to point: RateChangePoint) -> TimelineTime? {
        let (run, count) = ledger.withLock { ($0.run, $0.frameCount) }
        guard point.run == run, count > 0 else { return nil }
        let frame = device.rewind(to: point.frame) ?? count
        return ledger.withLock { $0.rewind(to: frame) }
    }

    func flush() {
        device.flush()
        ledger.withLock { $0.begin() }
        beginsLate = false
        isBroken = false
    }

    /// 5 ms: time stamps of some containers are whole milliseconds, and some are worse.
    private static let jitter: UInt64 = 5_000_000
    /// Nanoseconds. With more overlap than half a second, or a gap that is too long to be filled with silence, a
    /// new run begins.
    private static let joinable: ClosedRange<Int64> = -500_000_000...1_500_000_000
}
