import MediaCore
import PlayheadBackend

/// What observers are told, and what everybody can read.
extension PlaybackLoop {
    /// Tells observers of something that has happened now.
    func report(_ content: PlaybackReport.Content) {
        guard !shared.isReleased else { return }
        if case .notice(let notice) = content { publisher.apply(notice, state) }
        publish()
        let now = now
        let snapshot = shared.snapshot
        publisher.observer(
            PlaybackReport(content: content, host: now, itemTime: snapshot.itemTime(at: now)),
            snapshot
        )
    }

    /// Other rates of the timeline than the last one that was reported.
    func reportEffectiveRate() {
        guard let id = state.item?.id, let rate = publisher.newRate(presentation.timeline.rate) else {
            return
        }
        report(.effectiveRateChanged(id, Float(Double(rate.millionths) / 1_000_000)))
    }

    /// Properties whose changes are notified follow their notice one by one, so that a reader inside a
    /// callback sees things as they were told. All others are brought up to now.
    func publish() {
        measure()
        let pipeline = current?.pipeline
        var tracks = pipeline?.trackIDs ?? []
        texts.addTracks(to: &tracks)
        publisher.changes = SnapshotPublisher.Changes(
            seekTarget: state.item?.seekTarget,
            pipeline: pipeline.map { ObjectIdentifier($0) },
            enabledTracks: tracks,
            presentationSize: layers.presentationSize,
            isReadyForDisplay: layers.isReadyForDisplay,
            counters: publisher.counters,
            audio: audio.device == nil ? AudioDeviceFacts() : audio.facts,
            frameRate: state.timelineRate == 0 ? 0 : publisher.frameRate.value,
            timeline: presentation.timeline,
            origin: presentation.origin,
            passEnd: pipeline.flatMap { passEnd($0) }
        )
        if publisher.hasChanged {
            shared.publish { publisher.publish(into: &$0, pipeline?.description) }
        }
    }

    /// Where time stands at the end of the pass until the loop has decided; nil: not known, or time goes on.
    private func passEnd(_ pipeline: ItemPipeline) -> ItemTime? {
        // Under `.none` time goes on past the end.
        let goesOn = state.endAction == .none && state.item?.hasEnded == true
        return presentation.isReverse || goesOn ? nil : presentation.passEnd(pipeline)?.itemTime
    }

    /// Brings the counters up to now.
    private func measure() {
        publisher.measureBytes(of: current?.isVisibleToObservers == true ? current?.pipeline : nil)
        publisher.counters.indicatedBitRate = current?.pipeline?.variant?.peakBitRate ?? 0
        let isStalled = state.item.map { $0.isStalled && $0.status != .failed } ?? false
        publisher.measureStall(isStalled, state.item?.id, at: now)
    }

    /// Reports what is at hand: what was read ahead of the time being played, and what is kept of what was played.
    func reportReading(_ pipeline: ItemPipeline) {
        guard let epoch = current?.start.epoch, let hasFirstFrame = state.item?.hasFirstFrame,
            hasFirstFrame || state.item?.isMoving == true
        else { return }
        var range: MediaTimeRange?
        let pass = presentation.pass
        var readPass = pass
        if hasFirstFrame {
            let now = max(.zero, presentation.itemTime(at: now)).mediaTime
            let loaded = pipeline.withProgress {
                readPass = $0.pass
                return $0.epoch == epoch ? $0.loaded(around: now, pass: pass) : nil
            }
            if let loaded {
                let end = min(loaded.to, presentation.ends.forward?.mediaTime ?? loaded.to)
                if loaded.from < end { range = MediaTimeRange(start: loaded.from, end: end) }
            }
        }
        if range != nil, range == current?.reading.told { return }
        // Reading may be in the next pass of a loop.
        guard let id = current?.id,
            current?.reading.mustReport(range, isOver: readPass > pass || pipeline.hasEndedReading(epoch))
                == true
        else { return }
        report(.loadedRangeChanged(id, range))
    }

    /// What the container did not know, only estimated or said wrongly is known when the data has been read to its end.
    /// `framesEnd`: where the pass ended, for those whose packets do not tell.
    func learnDuration(_ pipeline: ItemPipeline, framesEnd: MediaTime? = nil) {
        guard let id = state.item?.id, let duration = state.item?.duration,
            let end = pipeline.withProgress(\.dataEnd) ?? framesEnd
        else { return }
        // Each update comes here, and the answer is the same until one of the two changes.
        if let checked = current?.checkedDuration, checked == (duration, end) { return }
        current?.checkedDuration = (duration, end)
        guard let corrected = pipeline.correctedDuration(duration, dataEnd: end) else { return }
        carryOut(state.handle(.durationChanged(id, corrected)))
    }
}
