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
    private let scheduler: AudioScheduler?
    private let makeConverter: @Sendable (AudioFormat) -> any AudioConverter
    private let report: @Sendable (OutputReport) -> Void
    /// The device is about to be opened, for somebody wants to hear something.
    private let isOpening = Atomic<Bool>(false)
    /// nil: the sink gets what is due when it is due.
    private let batch: Locked<AudioBatch>?

    // Confined to the lane.
    private var inputFormat: AudioFormat?
    private var sinkFormat: AudioFormat?
    private var converter: (any AudioConverter)?
    private var isFinished = false
    private var lastPlacement: AudioPlacement?
    private var history = AudioHistory()
    /// `endAudio`, `pauseExpected`: nothing came since.
    private var hasEnded = false
    private var expectsMore = true
    private let processing: AudioProcessing
    private var gain = AudioGain()
    private var volume: Float = 1
    /// An item with audio has been opened.
    private var hasAudioItem = false
    /// The device was asked to connect, or was given something.
    private var hasOpened = false
    /// A device that was never heard is not opened while there is nothing to hear.
    private var isDeferred: Bool { scheduler != nil && !hasOpened && volume == 0 }

    package init(
        driver: any Driver,
        sink: any AudioSink,
        makeConverter: @escaping @Sendable (AudioFormat) -> any AudioConverter,
        makeStretcher: @escaping @Sendable () -> (any AudioTimeStretcher)? = { nil },
        report: @escaping @Sendable (OutputReport) -> Void
    ) {
        lane = driver.makeLane(.output, label: "audio")
        self.sink = sink
        batch = driver.isRealTime && sink is any ImmediateSink ? Locked(AudioBatch()) : nil
        scheduler = (sink as? any AudioDeviceSink).map { AudioScheduler($0, clock: driver.clock) }
        self.makeConverter = makeConverter
        self.report = report
        processing = AudioProcessing(makeStretcher: makeStretcher, meters: AudioMeters(driver: driver))
        device?.setNoticeHandler { report(.device($0)) }
    }

    var device: (any AudioDeviceSink)? { scheduler?.device }

    // MARK: Control lane

    /// An item with audio has been opened.
    func prepare() {
        guard scheduler != nil else { return }
        enqueue { [self] in
            hasAudioItem = true
            open()
        }
    }

    private func open() {
        guard let device, hasAudioItem, !isDeferred, !isFinished else { return }
        hasOpened = true
        device.prepare()
    }

    /// A device is there, or not, or that is being found out: a start may wait for the answer.
    var isConnecting: Bool { isOpening.load(ordering: .acquiring) || device?.isConnecting ?? false }

    func write(_ buffers: [(buffer: AudioBuffer, placement: AudioPlacement)], _ origin: AudioOrigin) {
        let settings = batch == nil ? nil : origin.settings.read()
        // A tap hears it when it is due, and nothing that was due before it was there.
        guard let batch, let settings, settings.taps.isEmpty else {
            let write = AudioBatch.Write(buffers: buffers, origin: origin)
            return enqueue { [self] in perform([write]) }
        }
        var origin = origin
        origin.settings = AudioSettingsSource { settings }
        let write = AudioBatch.Write(buffers: buffers, origin: origin)
        if batch.withLock({ $0.add(write) }) { flushBatch() }
    }

    /// What is held goes first.
    private func enqueue(_ work: @escaping @Sendable () -> Void) {
        flushBatch()
        lane.enqueue(work)
    }

    private func flushBatch() {
        guard let writes = batch?.withLock({ $0.removeAll() }), !writes.isEmpty else { return }
        lane.enqueue { [self] in perform(writes) }
    }

    private func perform(_ writes: [AudioBatch.Write]) {
        hasEnded = false
        expectsMore = true
        for write in writes {
            attempt {
                for (buffer, placement) in write.buffers { try writeNow(buffer, write.origin, at: placement) }
            }
        }
    }

    private func writeNow(_ buffer: AudioBuffer, _ origin: AudioOrigin, at placement: AudioPlacement) throws {
        lastPlacement = placement
        let ready = processing.mix(buffer, origin)
        if let device {
            let span = Double(device.lead + Self.historyMargin) * max(1, origin.rate)
            history.append(.init(buffer: ready, origin: origin, placement: placement), keeping: Int64(span))
        }
        guard !isDeferred else { return }
        hasOpened = true
        for buffer in processing.stretch(ready, origin) { try convertAndWrite(buffer, placement) }
    }

    /// Nothing follows what was written, for now: what processing and the resampler still hold goes to the sink.
    func endAudio() {
        enqueue { [self] in
            hasEnded = true
            attempt(drain)
        }
    }

    private func drain() throws {
        guard let lastPlacement else { return }
        for buffer in processing.finish() { try convertAndWrite(buffer, lastPlacement) }
        if let converter, let remaining = try converter.drain() { try writeToSink(remaining, lastPlacement) }
    }

    // MARK: Another rate

    /// The earliest point at which a device that plays can take up another rate; nil: no device plays.
    func rateChangePoint(at now: HostTime, epoch: Epoch) -> RateChangePoint? {
        guard let device, let position = device.position,
            now.nanoseconds(since: position.measuredAt) < Self.maximumReadingAge
        else { return nil }
        let late = max(0, now.nanoseconds(since: position.heardAt))
        return scheduler?.sampleMap.withLock { sampleMap in
            guard position.flushes == sampleMap.flushCount, sampleMap.epoch == epoch else { return nil }
            let frame = min(
                position.frame + sampleMap.frames(in: late + Self.rateChangeMargin),
                sampleMap.frameCount
            )
            return sampleMap.media(of: frame).map {
                RateChangePoint(frame: frame, flushCount: sampleMap.flushCount, media: $0)
            }
        }
    }

    /// Takes back what the device has not played from `point` on, and processes it again at the timeline's rate.
    /// `moved` is called where the device could only take back from another point on.
    func changeRate(
        with timeline: Timeline,
        at point: RateChangePoint,
        moved: @escaping @Sendable (TimelineTime) -> Void
    ) {
        guard scheduler != nil else { return }
        enqueue { [self] in attempt { try changeRateNow(timeline, point, moved) } }
    }

    private func changeRateNow(
        _ timeline: Timeline,
        _ point: RateChangePoint,
        _ moved: (TimelineTime) -> Void
    ) throws {
        guard let scheduler, let media = scheduler.rewind(to: point) else { return }
        if (media - point.media).magnitude > Self.rateChangeTolerance { moved(media) }
        try reprocessHistory(with: timeline, from: media)
    }

    /// Drops what the device has in hand, which was processed for another rate, and processes again what is due
    /// from `media` on. The timeline stands, or begins only.
    func reprocess(with timeline: Timeline, from media: TimelineTime, isLate: Bool) {
        guard let scheduler else { return }
        enqueue { [self] in
            guard scheduler.hasAudio else { return }
            if isLate { scheduler.restart() } else { scheduler.flush() }
            attempt { try reprocessHistory(with: timeline, from: media) }
        }
    }

    private func reprocessHistory(with timeline: Timeline, from media: TimelineTime) throws {
        let (before, entries) = history.split(at: media)
        processing.changeRate(after: before)
        converter?.reset()
        if isDeferred { return }
        for entry in entries {
            var (origin, placement) = (entry.origin, entry.placement)
            origin.rate = timeline.rate.factor
            placement.rate = timeline.rate
            placement.time = ItemTime(entry.buffer.presentationTime) ?? placement.time
            placement.due = timeline.host(for: entry.start) ?? placement.due
            lastPlacement = placement
            for buffer in processing.stretch(entry.buffer, origin) { try convertAndWrite(buffer, placement) }
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
            let text = "the audio sink failed and was taken off: \(error)"
            report(.sinkFailed(MediaError(.sinkFailed, text), error))
        }
    }

    private func convertAndWrite(_ buffer: AudioBuffer, _ placement: AudioPlacement) throws {
        try prepare(for: buffer.format, placement)
        if let converter {
            if let converted = try converter.convert(buffer) { try writeToSink(converted, placement) }
        } else {
            try writeToSink(buffer, placement)
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
            guard let scheduler else { return gain.set(volume) }
            let wasDeferred = isDeferred
            self.volume = volume
            scheduler.device.setVolume(volume)
            guard wasDeferred, !isDeferred else { return }
            open()
            if isLate { scheduler.restart() }
            attempt { try reprocessHistory(with: timeline, from: media) }
        }
    }

    func flush() {
        enqueue { [self] in
            processing.reset()
            converter?.reset()
            gain.reset()
            history.clear()
            flushSink()
        }
    }

    /// What a device has not played yet is not played, and the next samples go where the timeline is then.
    func restart() {
        guard let scheduler else { return }
        enqueue { [self] in
            history.clear()
            scheduler.restart()
        }
    }

    /// Nothing follows for the present.
    func expectPause() {
        guard let device else { return }
        enqueue { [self] in
            expectsMore = false
            device.setExpectsMore(false)
        }
    }

    /// Leaves out so many nanoseconds of audio; below zero: silence goes before it.
    func move(by nanoseconds: Int64) {
        guard let scheduler else { return }
        let frames = scheduler.sampleMap.withLock { $0.frames(in: nanoseconds) }
        enqueue { scheduler.device.skip(frames) }
    }

    func setDevice(_ uniqueID: String?) {
        guard let device else { return }
        enqueue { device.setDevice(uniqueID) }
    }

    /// What the device plays; nil: nothing, or what was written before the last flush.
    func reading(at now: HostTime) -> AudioClockReading? {
        guard let scheduler, let position = scheduler.device.position,
            now.nanoseconds(since: position.measuredAt) < Self.maximumReadingAge
        else { return nil }
        let underruns = scheduler.device.underruns
        return scheduler.sampleMap.withLock { sampleMap in
            guard position.flushes == sampleMap.flushCount else { return nil }
            let late = max(0, now.nanoseconds(since: position.heardAt))
            guard let media = sampleMap.media(of: position.frame + sampleMap.frames(in: late)) else {
                return nil
            }
            return AudioClockReading(
                media: media,
                host: position.heardAt.advanced(by: late),
                latency: position.heardAt.nanoseconds(since: position.measuredAt),
                underruns: underruns,
                epoch: sampleMap.epoch
            )
        }
    }

    // MARK: The lane

    private func prepare(for format: AudioFormat, _ placement: AudioPlacement) throws {
        guard format != inputFormat else { return }
        let next = try sink.start(format)
        // A converter takes another format in the middle, and what it holds of the old one comes first.
        if let converter, next != sinkFormat, let remaining = try converter.drain() {
            try writeToSink(remaining, placement)
        }
        inputFormat = format
        if next == format, converter == nil || next != sinkFormat {
            converter = nil
        } else if converter == nil || next != sinkFormat {
            converter = makeConverter(next)
        }
        sinkFormat = next
    }

    private func writeToSink(_ buffer: AudioBuffer, _ placement: AudioPlacement) throws {
        // Volume comes last, so that it changes neither what is converted nor how.
        if let scheduler {
            try scheduler.write(buffer, placement)
        } else {
            try sink.write(gain.apply(to: buffer))
        }
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

    private func flushSink() { if let scheduler { scheduler.flush() } else { sink.flush() } }

    /// The lane's work so far is done when `body` runs.
    package func afterPending(_ body: @escaping @Sendable () -> Void) { enqueue(body) }

    private static let maximumReadingAge: Int64 = 500_000_000
    /// 40 ms, in which the device takes more, and this lane gets to know.
    private static let rateChangeMargin: Int64 = 40_000_000
    /// 1 ms.
    private static let rateChangeTolerance: UInt64 = 1_000_000
    /// 600 ms of audio more than goes to a device ahead of time.
    private static let historyMargin: Int64 = 600_000_000
}
