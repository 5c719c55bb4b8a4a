package import MediaCore
package import PlayheadBackend
import Synchronization

/// Audio on its way to the audio sink: processed, converted to what the sink asked for, and made as loud as
/// the player is, on a lane of its own.
///
/// Where the sink has a device, what is missing between two buffers is filled with silence and what overlaps is
/// left out, so that each sample is heard in its place. Other sinks get what was decoded and nothing else.
///
/// `@unchecked Sendable`: what changes is confined to the lane; what the control lane reads has locks of its own.
package final class AudioOutputLane: @unchecked Sendable {
    private let lane: any Lane
    private let sink: any AudioSink
    /// Where the sink has a device.
    private let placer: AudioScheduler?
    private let makeConverter: @Sendable (AudioFormat) -> any AudioConverter
    private let report: @Sendable (OutputReport) -> Void
    /// The device is about to be opened, for somebody wants to hear something.
    private let isOpening = Atomic<Bool>(false)
    /// nil: the sink gets what is due when it is due.
    private let held: Locked<HeldAudio>?

    // Confined to the lane.
    private var decoded: AudioFormat?
    private var wanted: AudioFormat?
    private var converter: (any AudioConverter)?
    private var isFinished = false
    private var lastPlace: AudioPlacement?
    private var history = AudioHistory()
    /// `endAudio`, `pauseExpected`: nothing came since.
    private var hasEnded = false
    private var expectsMore = true
    private let processing: AudioProcessing
    private var gain = AudioGain()
    private var volume: Float = 1
    /// An item with audio has been opened.
    private var wantsDevice = false
    /// The device was asked to connect, or was given something.
    private var hasOpened = false
    /// A device that was never heard is not opened while there is nothing to hear.
    private var isHeld: Bool { placer != nil && !hasOpened && volume == 0 }

    package init(
        driver: any Driver,
        sink: any AudioSink,
        makeConverter: @escaping @Sendable (AudioFormat) -> any AudioConverter,
        makeStretcher: @escaping @Sendable () -> (any AudioTimeStretcher)? = { nil },
        report: @escaping @Sendable (OutputReport) -> Void
    ) {
        lane = driver.makeLane(.presenting, label: "audio")
        self.sink = sink
        held = driver.isRealTime && sink is any ImmediateSink ? Locked(HeldAudio()) : nil
        placer = (sink as? any AudioDeviceSink).map { AudioScheduler($0, clock: driver.clock) }
        self.makeConverter = makeConverter
        self.report = report
        processing = AudioProcessing(makeStretcher: makeStretcher, meters: AudioMeters(driver: driver))
        device?.setNoticeHandler { report(.device($0)) }
    }

    var device: (any AudioDeviceSink)? { placer?.device }

    // MARK: Control lane

    /// An item with audio has been opened.
    func prepare() {
        guard placer != nil else { return }
        enqueue { [self] in
            wantsDevice = true
            open()
        }
    }

    private func open() {
        guard let device, wantsDevice, !isHeld, !isFinished else { return }
        hasOpened = true
        device.prepare()
    }

    /// A device is there, or not, or that is being found out: a start may wait for the answer.
    var isConnecting: Bool { isOpening.load(ordering: .acquiring) || device?.isConnecting ?? false }

    func write(_ buffers: [(buffer: AudioBuffer, place: AudioPlacement)], _ origin: AudioOrigin) {
        let settings = held == nil ? nil : origin.settings.read()
        // A tap hears it when it is due, and nothing that was due before it was there.
        guard let held, let settings, settings.taps.isEmpty else {
            let write = HeldAudio.Write(buffers: buffers, origin: origin)
            return enqueue { [self] in carryOut([write]) }
        }
        var origin = origin
        origin.settings = AudioSettingsSource { settings }
        let write = HeldAudio.Write(buffers: buffers, origin: origin)
        if held.withLock({ $0.add(write) }) { handOver() }
    }

    /// What is held goes first.
    private func enqueue(_ work: @escaping @Sendable () -> Void) {
        handOver()
        lane.enqueue(work)
    }

    private func handOver() {
        guard let writes = held?.withLock({ $0.takeAll() }), !writes.isEmpty else { return }
        lane.enqueue { [self] in carryOut(writes) }
    }

    private func carryOut(_ writes: [HeldAudio.Write]) {
        hasEnded = false
        expectsMore = true
        for write in writes {
            attempt { for (buffer, place) in write.buffers { try writeNow(buffer, write.origin, at: place) } }
        }
    }

    private func writeNow(_ buffer: AudioBuffer, _ origin: AudioOrigin, at place: AudioPlacement) throws {
        lastPlace = place
        let ready = processing.mix(buffer, origin)
        if let device {
            let span = Double(device.lead + Self.memory) * max(1, origin.rate)
            history.append(.init(buffer: ready, origin: origin, place: place), keeping: Int64(span))
        }
        guard !isHeld else { return }
        hasOpened = true
        for buffer in processing.pace(ready, origin) { try take(buffer, place) }
    }

    /// Nothing follows what was written, for now: what processing and the resampler still hold goes to the sink.
    func endAudio() {
        enqueue { [self] in
            hasEnded = true
            attempt(drain)
        }
    }

    private func drain() throws {
        guard let lastPlace else { return }
        for buffer in processing.finish() { try take(buffer, lastPlace) }
        if let converter, let rest = try converter.drain() { try hand(rest, lastPlace) }
    }

    // MARK: Another rate

    /// The earliest point at which a device that plays can take up another rate; nil: no device plays.
    func rateChangePoint(at now: HostTime, epoch: Epoch) -> RateChangePoint? {
        guard let device, let position = device.position,
            now.nanoseconds(since: position.measuredAt) < Self.stale
        else { return nil }
        let late = max(0, now.nanoseconds(since: position.heardAt))
        return placer?.ledger.withLock { ledger in
            guard position.flushes == ledger.run, ledger.epoch == epoch else { return nil }
            let frame = min(
                position.frame + ledger.frames(in: late + Self.rateChangeMargin),
                ledger.frameCount
            )
            return ledger.media(of: frame).map { RateChangePoint(frame: frame, run: ledger.run, media: $0) }
        }
    }

    /// Takes back what the device has not played from `point` on, and processes it again at the timeline's rate.
    /// `moved` is called where the device could only take back from another point on.
    func changeRate(
        with timeline: Timeline,
        at point: RateChangePoint,
        moved: @escaping @Sendable (TimelineTime) -> Void
    ) {
        guard placer != nil else { return }
        enqueue { [self] in attempt { try changeRateNow(timeline, point, moved) } }
    }

    private func changeRateNow(
        _ timeline: Timeline,
        _ point: RateChangePoint,
        _ moved: (TimelineTime) -> Void
    ) throws {
        guard let placer, let media = placer.rewind(to: point) else { return }
        if (media - point.media).magnitude > Self.mistake { moved(media) }
        try makeAnew(with: timeline, from: media)
    }

    /// Drops what the device has in hand, which was processed for another rate, and processes again what is due
    /// from `media` on. The timeline stands, or begins only.
    func beginAnew(with timeline: Timeline, from media: TimelineTime, isLate: Bool) {
        guard let placer else { return }
        enqueue { [self] in
            guard placer.hasSound else { return }
            if isLate { placer.restart() } else { placer.flush() }
            attempt { try makeAnew(with: timeline, from: media) }
        }
    }

    private func makeAnew(with timeline: Timeline, from media: TimelineTime) throws {
        let (before, pieces) = history.split(at: media)
        processing.changeRate(behind: before)
        converter?.reset()
        if isHeld { return }
        for piece in pieces {
            var (origin, place) = (piece.origin, piece.place)
            origin.rate = timeline.rate.factor
            place.rate = timeline.rate
            place.time = ItemTime(piece.buffer.presentationTime) ?? place.time
            place.due = timeline.host(for: piece.start) ?? place.due
            lastPlace = place
            for buffer in processing.pace(piece.buffer, origin) { try take(buffer, place) }
        }
        if hasEnded { try drain() }
        if !expectsMore { device?.setExpectsMore(false) }
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

    private func take(_ buffer: AudioBuffer, _ place: AudioPlacement) throws {
        try prepare(for: buffer.format, place)
        if let converter {
            if let converted = try converter.convert(buffer) { try hand(converted, place) }
        } else {
            try hand(buffer, place)
        }
    }

    func setPaused(_ isPaused: Bool) { enqueue { [self] in sink.setPaused(isPaused) } }

    /// 0...1, after mute is applied. Muted samples are written as silence, so that a sink that is the clock
    /// keeps going. A device is told instead: it has samples in hand, and is to change them too. One that was held back
    /// until now joins at `media` of the timeline, or, where that is not reached yet (`isLate` false), begins there.
    func setVolume(_ volume: Float, with timeline: Timeline, from media: TimelineTime, isLate: Bool) {
        if volume > 0 { isOpening.store(true, ordering: .releasing) }
        enqueue { [self] in
            defer { isOpening.store(false, ordering: .releasing) }
            guard let placer else { return gain.set(volume) }
            let wasHeld = isHeld
            self.volume = volume
            placer.device.setVolume(volume)
            guard wasHeld, !isHeld else { return }
            open()
            if isLate { placer.restart() }
            attempt { try makeAnew(with: timeline, from: media) }
        }
    }

    func flush() {
        enqueue { [self] in
            processing.reset()
            converter?.reset()
            gain.settle()
            history.clear()
            flushSink()
        }
    }

    /// What a device has not played yet is not played, and the next samples go where the timeline is then.
    func restart() {
        guard let placer else { return }
        enqueue { [self] in
            history.clear()
            placer.restart()
        }
    }

    /// Nothing follows for the present.
    func pauseExpected() {
        guard let device else { return }
        enqueue { [self] in
            expectsMore = false
            device.setExpectsMore(false)
        }
    }

    /// Leaves out so many nanoseconds of audio; below zero: silence goes before it.
    func move(by nanoseconds: Int64) {
        guard let placer else { return }
        let frames = placer.ledger.withLock { $0.frames(in: nanoseconds) }
        enqueue { placer.device.skip(frames) }
    }

    func setDevice(_ uniqueID: String?) {
        guard let device else { return }
        enqueue { device.setDevice(uniqueID) }
    }

    /// What the device plays; nil: nothing, or what was written before the last flush.
    func reading(at now: HostTime) -> AudioClockReading? {
        guard let placer, let position = placer.device.position,
            now.nanoseconds(since: position.measuredAt) < Self.stale
        else { return nil }
        let underruns = placer.device.underruns
        return placer.ledger.withLock { ledger in
            guard position.flushes == ledger.run else { return nil }
            let late = max(0, now.nanoseconds(since: position.heardAt))
            guard let media = ledger.media(of: position.frame + ledger.frames(in: late)) else { return nil }
            return AudioClockReading(
                media: media,
                host: position.heardAt.advanced(by: late),
                latency: position.heardAt.nanoseconds(since: position.measuredAt),
                underruns: underruns,
                epoch: ledger.epoch
            )
        }
    }

    // MARK: The lane

    private func prepare(for format: AudioFormat, _ place: AudioPlacement) throws {
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

    private func hand(_ buffer: AudioBuffer, _ place: AudioPlacement) throws {
        // Volume comes last, so that it changes neither what is converted nor how.
        if let placer { try placer.write(buffer, place) } else { try sink.write(gain.apply(to: buffer)) }
    }

    /// What the resampler still holds belongs to the sink: the audio ends here.
    package func finish() { enqueue { [self] in finishNow() } }

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

    private func flushSink() { if let placer { placer.flush() } else { sink.flush() } }

    /// The lane's work so far is done when `body` runs.
    package func afterPending(_ body: @escaping @Sendable () -> Void) { enqueue(body) }

    private static let stale: Int64 = 500_000_000
    /// 40 ms, in which the device takes more, and this lane gets to know.
    private static let rateChangeMargin: Int64 = 40_000_000
    /// 1 ms.
    private static let mistake: UInt64 = 1_000_000
    /// 600 ms of audio more than goes to a device ahead of time.
    private static let memory: Int64 = 600_000_000
}
