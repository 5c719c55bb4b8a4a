import MediaCore
import PlayheadBackend

/// Reports to observers, and the published snapshot.
extension PlaybackLoop {
    /// Reports to the observer something that has happened now.
    func report(_ change: PlaybackChange) {
        guard !shared.isReleased else { return }
        publisher.apply(change, state)
        publish()
        let now = now
        let snapshot = shared.snapshot
        publisher.observer(
            PlaybackReport(change: change, host: now, itemTime: itemTime(of: change, snapshot, at: now)),
            snapshot
        )
    }

    /// Returns the item time at which a change has happened.
    private func itemTime(
        of change: PlaybackChange,
        _ snapshot: PlaybackSnapshot,
        at now: HostTime
    ) -> MediaTime {
        var snapshot = snapshot
        switch change {
        // The seek that begins the next pass of a backward loop is requested before the end is reported.
        case .playedToEnd, .passEnded(_, .playedToEnd): snapshot.seekTarget = nil
        default: break
        }
        return snapshot.itemTime(at: now)
    }

    /// Reports the timeline's rate if it differs from the one reported last.
    func reportEffectiveRate() {
        guard let id = state.item?.id, let rate = publisher.newRate(presentation.timeline.rate) else {
            return
        }
        report(.effectiveRateChanged(id, Float(Double(rate.millionths) / 1_000_000)))
    }

    /// Publishes the snapshot. Properties whose changes are reported change with their report, one at a time, so that
    /// a reader inside a callback sees the state as it was reported. All others are updated to the current time.
    func publish() {
        measure()
        let pipeline = current?.pipeline
        var tracks = pipeline?.trackIDs ?? []
        cueTracks.addTrackIDs(to: &tracks)
        publisher.changes = SnapshotPublisher.Changes(
            seekTarget: state.item?.seekTarget,
            endTime: endTime,
            pipeline: pipeline.map { ObjectIdentifier($0) },
            enabledTracks: tracks,
            presentationSize: layers.presentationSize,
            isReadyForDisplay: layers.isReadyForDisplay,
            counters: publisher.counters,
            audio: audio.device == nil ? AudioDeviceFacts() : audio.facts,
            frameRate: state.timelineRate == 0 ? 0 : publisher.frameRate.value,
            timeline: presentation.timeline,
            origin: presentation.origin,
            passEnd: pipeline.flatMap { passEnd($0) },
            nextFrameTime: pipeline.flatMap { presentation.nextFrameTime($0)?.mediaTime },
            keptRange: pipeline.flatMap { $0.description.isSeekable ? nil : $0.withProgress(\.keptRange) }
        )
        if publisher.hasChanged {
            shared.publish { publisher.publish(into: &$0, pipeline?.description) }
        }
    }

    /// The item time of an item that has been played to the end of its data: its duration, so that the two are equal. Nil
    /// otherwise, and if the item ended at its forward end time.
    private var endTime: MediaTime? {
        guard let item = state.item, item.hasEnded, item.endError == nil, !state.isReverse,
            state.endAction != .none, item.duration.isNumeric, let duration = ItemTime(item.duration),
            presentation.ends.forward.map({ $0 >= duration }) ?? true
        else { return nil }
        return item.duration
    }

    /// Returns the end of the pass, at which item time stops until the loop has handled it. Returns nil if it is
    /// unknown or if time continues past it.
    private func passEnd(_ pipeline: ItemPipeline) -> ItemTime? {
        // Under `.none` time continues past the end.
        let continuesPastEnd = state.endAction == .none && state.item?.hasEnded == true
        return presentation.isReverse || continuesPastEnd ? nil : presentation.passEnd(pipeline)?.itemTime
    }

    /// Updates the counters to the current time.
    private func measure() {
        publisher.measureBytes(of: current?.isVisibleToObservers == true ? current?.pipeline : nil)
        publisher.counters.indicatedBitRate = current?.pipeline?.variant?.peakBitRate ?? 0
        let isStalled = state.item.map { $0.isStalled && $0.status != .failed } ?? false
        publisher.measureStall(isStalled, state.item?.id, at: now)
    }

    /// Reports the loaded range: the media that were read ahead of the current time, and those that are retained
    /// after they were played.
    func reportReading(_ pipeline: ItemPipeline) {
        guard let epoch = current?.start.epoch, let hasFirstFrame = state.item?.hasFirstFrame,
            hasFirstFrame || state.item?.isSeeking == true
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
        if range != nil, range == current?.reading.reportedRange { return }
        // Reading may be in the next pass of a loop.
        guard let id = current?.id,
            current?.reading.mustReport(range, isOver: readPass > pass || pipeline.hasEndedReading(epoch))
                == true
        else { return }
        report(.loadedRangeChanged(id, range))
    }

    /// Corrects the duration after the data has been read to its end, if the container did not declare it, estimated
    /// it or declared it wrongly.
    ///
    /// - Parameter framesEnd: The end of the pass, for streams whose packets have no times.
    func updateDuration(_ pipeline: ItemPipeline, framesEnd: MediaTime? = nil) {
        guard let id = state.item?.id, let duration = state.item?.duration,
            let end = pipeline.withProgress(\.dataEnd) ?? framesEnd
        else { return }
        // This runs in each update, and the result is the same until one of the two values changes.
        if let checked = current?.checkedDuration, checked == (duration, end) { return }
        current?.checkedDuration = (duration, end)
        guard let corrected = pipeline.correctedDuration(duration, dataEnd: end) else { return }
        execute(state.handle(.durationChanged(id, corrected)))
    }
}
