import MediaCore

/// Where a buffer of sound belongs.
struct SoundPlace: Sendable {
    /// Where on the timeline the buffer's item time zero lies.
    var origin: Int64
    /// The item time at which the decoded buffer begins, and when that is to be heard.
    var time: Int64
    var due: HostTime
    var rate: PlaybackRate
    /// The timeline's.
    var epoch: Epoch
}

/// Lays sound on a device: what is missing between two buffers is filled with silence and what overlaps is left
/// out, so that each sample is heard in its place, and a ledger says which one that is.
///
/// Confined to the audio lane, but for the ledger.
final class SoundPlacer: @unchecked Sendable {
    let device: any AudioDeviceSink
    let ledger = Locked(SoundLedger())
    private let clock: any HostClock
    /// The sound begins in the middle: what is late is left out, rather than waited for.
    private var beginsLate = false
    /// Samples were lost: what follows is not joined to what was written.
    private var isBroken = false

    init(_ device: any AudioDeviceSink, clock: any HostClock) {
        self.device = device
        self.clock = clock
    }

    func hand(_ buffer: AudioBuffer, _ place: SoundPlace) throws {
        // Nobody has made samples for this speed.
        guard place.rate == .normal || buffer.rate != 1 else {
            device.setExpectsMore(false)
            if hasSound { flush() }
            beginsLate = true
            return
        }
        let media = place.origin &+ (buffer.presentationTime.nanoseconds ?? 0)
        let (end, pass, epoch) = ledger.withLock { ($0.mediaEnd?.nanoseconds, $0.pass, $0.epoch) }
        guard let end, !isBroken, epoch == place.epoch, Self.joinable.contains(media &- end) else {
            return try begin(buffer, media, place)
        }
        let gap = media &- end
        let isSeam = pass != buffer.pass
        let frame = Int64(1_000_000_000 / max(1, buffer.format.sampleRate))
        guard gap.magnitude > (isSeam ? UInt64(frame) : Self.jitter) else {
            return try put(buffer, media, place)
        }
        // In the time of the stream, which is not that of the item at another speed.
        let time = Int64(Double(gap) / max(0.01, buffer.rate))
        if gap > 0 { try putSilence(time, end, like: buffer, place) }
        try put(trimmed(buffer, by: -time), max(media, end), place)
    }

    /// The first samples of a run: silence before them until they are due, and where the sound begins in the
    /// middle none that are late.
    private func begin(_ buffer: AudioBuffer, _ media: Int64, _ place: SoundPlace) throws {
        guard device.room >= buffer.frameCount else { return lose() }
        if hasSound {
            let isLate = beginsLate
            flush()
            beginsLate = isLate
        }
        isBroken = false
        let heard = clock.now.advanced(by: device.startDelay)
        let behind = (buffer.presentationTime.nanoseconds ?? place.time) &- place.time
        let due = place.due.advanced(by: place.rate.hostTime(for: behind) ?? 0)
        let early = due.nanoseconds(since: heard)
        if early > Int64(Self.jitter), !device.isConnecting {
            try putSilence(early, media &- place.rate.mediaTime(for: early), like: buffer, place)
        } else if early < 0, beginsLate {
            let rest = trimmed(buffer, by: -early)
            guard rest.frameCount > 0 else { return }
            beginsLate = false
            let time = place.origin &+ (rest.presentationTime.nanoseconds ?? 0)
            return try put(rest, time, place)
        }
        beginsLate = false
        try put(buffer, media, place)
    }

    private func put(_ buffer: AudioBuffer, _ media: Int64, _ place: SoundPlace) throws {
        guard buffer.frameCount > 0 else { return }
        guard device.room >= buffer.frameCount else { return lose() }
        try device.write(buffer)
        ledger.withLock {
            $0.append(
                buffer.frameCount,
                media: TimelineTime(nanoseconds: media),
                rate: PlaybackRate(Float(buffer.rate)),
                sampleRate: buffer.format.sampleRate,
                epoch: place.epoch,
                pass: buffer.pass
            )
        }
    }

    /// A device that is away takes nothing.
    private func lose() {
        isBroken = true
        beginsLate = true
    }

    private func putSilence(
        _ nanoseconds: Int64,
        _ media: Int64,
        like buffer: AudioBuffer,
        _ place: SoundPlace
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

    /// What the device has not played yet is not played, and the next samples go where the timeline is then.
    func restart() {
        flush()
        beginsLate = true
    }

    /// Something was written since the last flush.
    var hasSound: Bool { ledger.withLock { $0.frameCount > 0 } }

    /// Takes back what was written from `point` on, as far as that goes; nil: all of it. Answers where on the
    /// timeline the next sample belongs; nil: nothing was written, or it has been taken back.
    func rewind(to point: SoundTurn) -> Int64? {
        let (run, count) = ledger.withLock { ($0.run, $0.frameCount) }
        guard point.run == run, count > 0 else { return nil }
        let frame = device.rewind(to: point.frame) ?? count
        return ledger.withLock { $0.rewind(to: frame)?.nanoseconds }
    }

    func flush() {
        device.flush()
        ledger.withLock { $0.begin() }
        beginsLate = false
        isBroken = false
    }

    /// 5 ms: time stamps of some containers are whole milliseconds, and some are worse.
    private static let jitter: UInt64 = 5_000_000
    /// Beyond half a second of overlap, or more of a gap than a device can be given of silence, the sound begins
    /// anew.
    private static let joinable: ClosedRange<Int64> = -500_000_000...1_500_000_000
}
