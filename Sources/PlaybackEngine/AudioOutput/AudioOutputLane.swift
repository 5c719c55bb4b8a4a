package import MediaCore
package import PlayheadBackend
import Synchronization

/// Delivers audio to the audio sink: it is processed, converted to the format that the sink requests, and
/// scaled by the player's volume, on a lane of its own.
///
/// For a sink with a device, a gap between two buffers is filled with silence and an overlap is dropped, so
/// that each sample is heard at its time. Other sinks receive exactly what was decoded.
///
/// `@unchecked Sendable`: mutable state is confined to the lane, and what the control lane reads has locks of
/// its own.
package final class AudioOutputLane: @unchecked Sendable {
    private let lane: any Lane
    private let sink: any AudioSink
    /// The scheduler for a sink with a device, otherwise nil.
    let scheduler: AudioScheduler?
    private let report: @Sendable (OutputReport) -> Void
    /// True while the device is about to be opened because the volume is no longer 0.
    private let isOpening = Atomic<Bool>(false)
    /// The batch for a sink that does not buffer. If nil, the sink receives audio as soon as it is due.
    private let batch: Locked<AudioBatch>?

    // Confined to the lane.
    private var isFinished = false
    private var lastPlacement: AudioPlacement?
    var history = AudioHistory()
    /// The audio of an item that an interstitial has interrupted.
    var interrupted: InterruptedAudio?
    /// The position at which audio that was written before continues when the timeline starts, or nil.
    var resumePosition: TimelineTime?
    /// True after `endAudio()`, and false after `expectPause()`, until more audio is written.
    var hasEnded = false
    var expectsMore = true
    let processing: AudioProcessing
    private let writer: AudioSinkWriter
    private var volume: Float = 1
    /// True after an item with audio has been opened.
    private var hasAudioItem = false
    /// True after the device was asked to connect or has received audio.
    private var hasOpened = false
    /// True while the device is not opened, because it has never been used and the player is muted.
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
        let scheduler = (sink as? any AudioDeviceSink).map { AudioScheduler($0, clock: driver.clock) }
        self.scheduler = scheduler
        writer = AudioSinkWriter(sink: sink, scheduler: scheduler, makeConverter: makeConverter)
        self.report = report
        processing = AudioProcessing(makeStretcher: makeStretcher, meters: AudioMeters(driver: driver))
        device?.setNoticeHandler { report(.device($0)) }
    }

    var device: (any AudioDeviceSink)? { scheduler?.device }

    // MARK: Control lane

    /// Opens the device for an item with audio.
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

    /// Whether it is still being determined if a device is available. A start may wait for the result.
    var isConnecting: Bool { isOpening.load(ordering: .acquiring) || device?.isConnecting ?? false }

    func write(_ buffers: [(buffer: AudioBuffer, placement: AudioPlacement)], _ origin: AudioOrigin) {
        let settings = batch == nil ? nil : origin.settings.read()
        // A tap must receive audio when it is due, after everything that was due before. Audio without taps can
        // be batched.
        guard let batch, let settings, settings.taps.isEmpty else {
            let write = AudioBatch.Write(buffers: buffers, origin: origin)
            return enqueueAlways { [self] in perform([write]) }
        }
        var origin = origin
        origin.settings = AudioSettingsSource { settings }
        let write = AudioBatch.Write(buffers: buffers, origin: origin)
        if batch.withLock({ $0.add(write) }) { flushBatch() }
    }

    /// Enqueues work after the batched audio. It is omitted if the sink has been finished.
    func enqueue(_ work: @escaping @Sendable () -> Void) {
        enqueueAlways { [self] in if !isFinished { work() } }
    }

    private func enqueueAlways(_ work: @escaping @Sendable () -> Void) {
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
            let span = Double(device.leadNanoseconds + Self.historyMargin) * max(1, origin.rate)
            history.append(.init(buffer: ready, origin: origin, placement: placement), keeping: Int64(span))
        }
        guard !isDeferred else { return }
        hasOpened = true
        try writeProcessed(processing.stretch(ready, origin), placement)
    }

    /// Writes audio that processing has returned for audio at a placement. Processing holds some audio, so at a seam it
    /// returns the end of the pass before, whose times belong to the origin of that pass.
    private func writeProcessed(_ buffers: [AudioBuffer], _ placement: AudioPlacement) throws {
        for buffer in buffers {
            let source = history.entries.last {
                $0.buffer.pass == buffer.pass && $0.buffer.epoch == buffer.epoch
            }
            if let source, source.placement.origin != placement.origin {
                let (origin, time) = (source.placement.origin, source.placement.time)
                try writer.write(buffer, placement.earlier(in: origin, at: time))
            } else {
                try writer.write(buffer, placement)
            }
        }
    }

    /// Flushes the processing and the resampler to the sink, because no more audio follows for now.
    func endAudio() {
        enqueue { [self] in
            hasEnded = true
            attempt(drain)
        }
    }

    func drain() throws {
        guard let lastPlacement else { return }
        try writeProcessed(processing.finish(), lastPlacement)
        try writer.drain(lastPlacement)
    }

    // MARK: Another rate

    /// Discards what the device has not played from `point` on, and processes it again at the rate of the
    /// timeline.
    ///
    /// - Parameters:
    ///   - timeline: The timeline with the new rate.
    ///   - point: The point that `rateChangePoint(at:epoch:)` returned.
    ///   - moved: Called if the device could discard audio only from another position on.
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

    /// Discards the audio of the device, which was processed for another rate or is not due yet, and processes the
    /// audio from `media` on again. The timeline is stopped or is just starting.
    ///
    /// - Parameters:
    ///   - timeline: The timeline.
    ///   - media: Its position.
    ///   - isLate: False if `media` is not yet reached, so that the audio begins there.
    ///   - hasStartTime: Whether the time of the start is set. If it has passed, late audio is skipped.
    func reprocess(with timeline: Timeline, from media: TimelineTime, isLate: Bool, hasStartTime: Bool) {
        guard let scheduler else { return }
        enqueue { [self] in
            guard scheduler.hasAudio || isLate && hasStartTime else { return }
            resumePosition = nil
            if isLate { scheduler.restart() } else { scheduler.flush() }
            attempt { try reprocessHistory(with: timeline, from: media) }
        }
    }

    func reprocessHistory(with timeline: Timeline, from media: TimelineTime) throws {
        let (before, entries) = history.split(at: media)
        processing.changeRate(after: before)
        writer.resetConversion()
        if isDeferred { return }
        for entry in entries {
            var (origin, placement) = (entry.origin, entry.placement)
            origin.rate = timeline.rate.factor
            placement.rate = timeline.rate
            placement.epoch = timeline.epoch
            placement.time = ItemTime(entry.buffer.presentationTime) ?? placement.time
            placement.due = timeline.host(for: entry.start) ?? placement.due
            lastPlacement = placement
            try writeProcessed(processing.stretch(entry.buffer, origin), placement)
        }
        if hasEnded { try drain() }
        if !expectsMore { device?.setExpectsMore(false) }
    }

    func attempt(_ body: () throws -> Void) {
        guard !isFinished else { return }
        do {
            try body()
        } catch {
            endSink()
            let text = "audio sink failed and was removed: \(error)"
            report(.sinkFailed(MediaError(.sinkFailed, text), error))
        }
    }

    func setPaused(_ isPaused: Bool) { enqueue { [self] in sink.setPaused(isPaused) } }

    /// Sets the volume from 0 to 1, after mute has been applied.
    ///
    /// A muted sink without a device receives silence, so that a sink that is the clock continues. A device is
    /// informed of the volume instead, so that it also applies to samples that it has already received.
    ///
    /// - Parameters:
    ///   - volume: The volume from 0 to 1.
    ///   - timeline: The timeline, at whose rate audio is processed.
    ///   - media: The timeline position at which a device that was not opened until now joins.
    ///   - isLate: False if `media` is not yet reached, so that the audio begins there.
    func setVolume(_ volume: Float, with timeline: Timeline, from media: TimelineTime, isLate: Bool) {
        if volume > 0 { isOpening.store(true, ordering: .releasing) }
        enqueueAlways { [self] in
            defer { isOpening.store(false, ordering: .releasing) }
            guard !isFinished else { return }
            guard let scheduler else { return writer.setVolume(volume) }
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
        enqueue { [self] in discardAll() }
    }

    func discardAll() {
        resetProcessing()
        history.clear()
        resumePosition = nil
        writer.flush()
    }

    /// Discards what the device has not played. The next samples are placed at the position of the timeline.
    func restart() {
        guard let scheduler else { return }
        enqueue { [self] in
            history.clear()
            scheduler.restart()
        }
    }

    /// Discards what the device has not played, and what processing holds. The audio that follows does not continue it,
    /// and is placed at the position of the timeline.
    func discardUnplayed() {
        guard let scheduler else { return }
        enqueue { [self] in
            history.clear()
            resetProcessing()
            scheduler.restart()
        }
    }

    /// Discards the audio that processing and the resampler hold.
    func resetProcessing() {
        processing.reset()
        writer.resetConversion()
    }

    /// Discards what the device has not played, because the stopped timeline has moved to `media`, or leaves it later.
    /// Audio from there on that was written before is written again by `startInterruptedAudio`.
    func move(to media: TimelineTime) {
        guard let scheduler else { return }
        enqueue { [self] in
            scheduler.flush()
            resumePosition = media
        }
    }

    /// Informs the device that no samples follow for now, so that running out of them is not an underrun.
    func expectPause() {
        guard let device else { return }
        enqueue { [self] in
            expectsMore = false
            device.setExpectsMore(false)
        }
    }

    // MARK: Finishing

    /// Finishes the sink after the samples that processing and the resampler still hold.
    package func finish() { enqueue { [self] in finishNow() } }

    private func finishNow() {
        guard !isFinished else { return }
        do {
            try drain()
        } catch {
            report(
                .sinkFailed(
                    MediaError(.sinkFailed, "audio sink failed at the end of the audio: \(error)"),
                    error
                )
            )
        }
        endSink()
    }

    /// Finishes the sink without the samples that processing and the resampler hold.
    private func endSink() {
        isFinished = true
        sink.finish()
    }

    /// Calls `body` after the work that is enqueued on the lane.
    package func afterPending(_ body: @escaping @Sendable () -> Void) { enqueueAlways(body) }

    /// The deviation from a rate change point that is not corrected: 1 ms.
    private static let rateChangeTolerance: UInt64 = 1_000_000
    /// The duration of audio that is kept beyond the lead of the device: 600 ms.
    private static let historyMargin: Int64 = 600_000_000
}
