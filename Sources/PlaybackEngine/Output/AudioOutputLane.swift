public import MediaCore
import Synchronization

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

/// Sound on its way to the audio sink: processed, converted to what the sink asked for, and made as loud as
/// the player is, on a lane of its own.
///
/// Where the sink has a device, what is missing between two buffers is filled with silence and what overlaps is
/// left out, so that each sample is heard in its place. Other sinks get what was decoded and nothing else.
public final class AudioOutputLane: @unchecked Sendable {
    private let lane: any Lane
    private let clock: any HostClock
    private let sink: any AudioSink
    let device: (any AudioDeviceSink)?
    private let makeConverter: @Sendable (AudioFormat) -> any AudioConverter
    private let report: @Sendable (OutputReport) -> Void
    private let ledger = Locked(SoundLedger())

    // Confined to the lane.
    private var decoded: AudioFormat?
    private var wanted: AudioFormat?
    private var converter: (any AudioConverter)?
    private var isFinished = false
    /// The sound begins in the middle: what is late is left out, rather than waited for.
    private var beginsLate = false
    /// Samples were lost: what follows is not joined to what was written.
    private var isBroken = false
    private var lastPlace: SoundPlace?
    private let processing: AudioProcessing
    private var gain = AudioGain()

    public init(
        driver: any Driver,
        sink: any AudioSink,
        makeConverter: @escaping @Sendable (AudioFormat) -> any AudioConverter,
        makeStretcher: @escaping @Sendable () -> (any AudioTimeStretcher)? = { nil },
        report: @escaping @Sendable (OutputReport) -> Void
    ) {
        lane = driver.makeLane(.presenting, label: "audio")
        clock = driver.clock
        self.sink = sink
        device = sink as? any AudioDeviceSink
        self.makeConverter = makeConverter
        self.report = report
        processing = AudioProcessing(makeStretcher: makeStretcher, meters: AudioMeters(driver: driver))
    }

    // MARK: Control lane

    /// An item with sound has been opened.
    func prepare() {
        guard let device else { return }
        lane.enqueue { [self] in if !isFinished { device.prepare() } }
    }

    func write(_ buffer: AudioBuffer, _ origin: AudioOrigin, at place: SoundPlace) {
        lane.enqueue { [self] in
            lastPlace = place
            attempt { for buffer in processing.process(buffer, origin) { try take(buffer, place) } }
        }
    }

    /// Nothing follows what was written, for now: what processing and the resampler still hold goes to the sink.
    func endSound() { lane.enqueue { [self] in attempt(drain) } }

    private func drain() throws {
        guard let lastPlace else { return }
        for buffer in processing.finish() { try take(buffer, lastPlace) }
        if let converter, let rest = try converter.drain() { try hand(rest, lastPlace) }
    }

    private func attempt(_ body: () throws -> Void) {
        guard !isFinished else { return }
        do {
            try body()
        } catch {
            finishNow()
            let words = "the audio sink failed and was taken off: \(error)"
            report(.sinkFailed(MediaError(.sinkFailed, words), error))
        }
    }

    private func take(_ buffer: AudioBuffer, _ place: SoundPlace) throws {
        try prepare(for: buffer.format, place)
        if let converter {
            if let converted = try converter.convert(buffer) { try hand(converted, place) }
        } else {
            try hand(buffer, place)
        }
    }

    func setPaused(_ isPaused: Bool) { lane.enqueue { [self] in sink.setPaused(isPaused) } }

    /// 0...1, after mute is applied. Muted samples are written as silence, so that a sink that is the clock
    /// keeps going. A device is told instead: it has samples in hand, and is to change them too.
    func setVolume(_ volume: Float) {
        lane.enqueue { [self] in if let device { device.setVolume(volume) } else { gain.set(volume) } }
    }

    func flush() {
        lane.enqueue { [self] in
            processing.reset()
            converter?.reset()
            gain.settle()
            flushSink()
        }
    }

    /// What a device has not played yet is not played, and the next samples go where the timeline is then.
    func restart() {
        guard device != nil else { return }
        lane.enqueue { [self] in
            flushSink()
            beginsLate = true
        }
    }

    /// Nothing follows for the present.
    func pauseExpected() {
        guard let device else { return }
        lane.enqueue { device.setExpectsMore(false) }
    }

    /// Leaves out so many nanoseconds of sound; below zero: silence goes before it.
    func move(by nanoseconds: Int64) {
        guard let device else { return }
        let frames = ledger.withLock { $0.frames(in: nanoseconds) }
        lane.enqueue { device.skip(frames) }
    }

    func setDevice(_ uniqueID: String?) {
        guard let device else { return }
        lane.enqueue { device.setDevice(uniqueID) }
    }

    /// What the device plays; nil: nothing, or what was written before the last flush.
    func reading(at now: HostTime) -> SoundReading? {
        guard let device, let position = device.position,
            now.nanoseconds(since: position.measuredAt) < Self.stale
        else { return nil }
        let underruns = device.underruns
        return ledger.withLock { ledger in
            guard position.flushes == ledger.run else { return nil }
            let late = max(0, now.nanoseconds(since: position.heardAt))
            guard let media = ledger.media(of: position.frame + ledger.frames(in: late)) else { return nil }
            return SoundReading(
                media: media,
                host: position.heardAt.advanced(by: late),
                latency: position.heardAt.nanoseconds(since: position.measuredAt),
                underruns: underruns,
                epoch: ledger.epoch
            )
        }
    }

    // MARK: The lane

    private func prepare(for format: AudioFormat, _ place: SoundPlace) throws {
        guard format != decoded else { return }
        let next = try sink.start(format)
        // A converter takes another format in the middle, and what it holds of the old one comes first.
        if let converter, next != wanted, let rest = try converter.drain() { try hand(rest, place) }
        decoded = format
        if next == format, converter == nil || next != wanted {
            converter = nil
        } else if converter == nil || next != wanted {
            converter = makeConverter(next)
        }
        wanted = next
    }

    private func hand(_ buffer: AudioBuffer, _ place: SoundPlace) throws {
        // Volume comes last, so that it changes neither what is converted nor how.
        guard let device else { return try sink.write(gain.apply(to: buffer)) }
        // Nobody has made samples for this speed.
        guard place.rate == .normal || buffer.rate != 1 else {
            device.setExpectsMore(false)
            if ledger.withLock({ $0.frameCount > 0 }) { flushSink() }
            beginsLate = true
            return
        }
        let media = place.origin &+ (buffer.presentationTime.nanoseconds ?? 0)
        let (end, pass, epoch) = ledger.withLock { ($0.mediaEnd, $0.pass, $0.epoch) }
        guard let end, !isBroken, epoch == place.epoch, Self.joinable.contains(media &- end) else {
            return try begin(buffer, media, place, device)
        }
        let gap = media &- end
        let isSeam = pass != buffer.pass
        let frame = Int64(1_000_000_000 / max(1, buffer.format.sampleRate))
        guard gap.magnitude > (isSeam ? UInt64(frame) : Self.jitter) else {
            return try put(buffer, media, place, device)
        }
        // In the time of the stream, which is not that of the item at another speed.
        let time = Int64(Double(gap) / max(0.01, buffer.rate))
        if gap > 0 { try putSilence(time, end, like: buffer, place, device) }
        try put(trimmed(buffer, by: -time), max(media, end), place, device)
    }

    /// The first samples of a run: silence before them until they are due, and where the sound begins in the
    /// middle none that are late.
    private func begin(
        _ buffer: AudioBuffer,
        _ media: Int64,
        _ place: SoundPlace,
        _ device: any AudioDeviceSink
    ) throws {
        guard device.room >= buffer.frameCount else { return lose() }
        if ledger.withLock({ $0.frameCount > 0 }) {
            let isLate = beginsLate
            flushSink()
            beginsLate = isLate
        }
        isBroken = false
        let heard = clock.now.advanced(by: device.startDelay)
        let behind = (buffer.presentationTime.nanoseconds ?? place.time) &- place.time
        let due = place.due.advanced(by: place.rate.hostTime(for: behind) ?? 0)
        let early = due.nanoseconds(since: heard)
        if early > Int64(Self.jitter), !device.isConnecting {
            try putSilence(early, media &- place.rate.mediaTime(for: early), like: buffer, place, device)
        } else if early < 0, beginsLate {
            let rest = trimmed(buffer, by: -early)
            guard rest.frameCount > 0 else { return }
            beginsLate = false
            let time = place.origin &+ (rest.presentationTime.nanoseconds ?? 0)
            return try put(rest, time, place, device)
        }
        beginsLate = false
        try put(buffer, media, place, device)
    }

    private func put(
        _ buffer: AudioBuffer,
        _ media: Int64,
        _ place: SoundPlace,
        _ device: any AudioDeviceSink
    ) throws {
        guard buffer.frameCount > 0 else { return }
        guard device.room >= buffer.frameCount else { return lose() }
        try sink.write(buffer)
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

    /// A device that is away takes nothing.
    private func lose() {
        isBroken = true
        beginsLate = true
    }

    private func putSilence(
        _ nanoseconds: Int64,
        _ media: Int64,
        like buffer: AudioBuffer,
        _ place: SoundPlace,
        _ device: any AudioDeviceSink
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
        try put(silence, media, place, device)
    }

    /// Without the samples of its first nanoseconds.
    private func trimmed(_ buffer: AudioBuffer, by nanoseconds: Int64) -> AudioBuffer {
        guard nanoseconds > 0 else { return buffer }
        let count = Double(nanoseconds) * Double(buffer.format.sampleRate) / 1e9
        return buffer.trimmed(first: Int(min(count, 1e9).rounded()))
    }

    private func flushSink() {
        sink.flush()
        ledger.withLock { $0.begin() }
        beginsLate = false
        isBroken = false
    }

    /// What the resampler still holds belongs to the sink: the sound ends here.
    public func finish() { lane.enqueue { [self] in finishNow() } }

    private func finishNow() {
        guard !isFinished else { return }
        isFinished = true
        do {
            try drain()
        } catch {
            report(.sinkFailed(MediaError(.sinkFailed, "the end of the sound was lost: \(error)"), error))
        }
        sink.finish()
    }

    /// The lane's work so far is done when `body` runs.
    public func afterPending(_ body: @escaping @Sendable () -> Void) { lane.enqueue(body) }

    /// 5 ms: time stamps of some containers are whole milliseconds, and some are worse.
    private static let jitter: UInt64 = 5_000_000
    /// Beyond half a second of overlap, or more of a gap than a device can be given of silence, the sound begins
    /// anew.
    private static let joinable: ClosedRange<Int64> = -500_000_000...1_500_000_000
    private static let stale: Int64 = 500_000_000
}
