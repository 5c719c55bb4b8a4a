import MediaCore
package import PlayheadBackend

/// Reads one track of an asset from start to end without a clock, as fast as its output is read.
///
/// It opens the asset and decodes with the stages of a player (`ItemPipeline`), so the frames and samples are those
/// that playing delivers. Each stage works ahead up to the limits of its queue, and stops when the output is full.
///
/// `@unchecked Sendable`: members without a lock are confined to `lane`.
package final class TrackReader<Element: Sendable>: Stage, @unchecked Sendable {
    private let settings: TrackReaderSettings
    private let process: any TrackProcess<Element>
    private let output: ReaderOutput<Element>
    private let driver: any Driver
    private let lane: any Lane
    private let loadingLane: any Lane
    private let decodingLane: any Lane
    private let demuxer: any Demuxer
    private let item: MediaItem
    private let wake = SettableCallback()
    /// The epoch whose first frame follows the requested start.
    private let lateEpoch = Locked<Epoch?>(nil)
    private let newestFault = Locked<MediaError?>(nil)

    // Confined to the lane.
    private var runner: StageRunner?
    private var epoch: ItemEpoch
    private var opening: ResumableCall?
    private var pipeline: ItemPipeline?
    private var track: TrackPipeline?
    private var hasOutput = false
    /// The end of the data, once it has been decoded.
    private var ending: Ending?
    private var isClosed = false

    private struct Ending {
        /// The error that ended the data early.
        let error: MediaError?
    }

    /// Creates a reader. Nothing is opened before `start()`.
    ///
    /// - Parameters:
    ///   - settings: The track and the range to read.
    ///   - driver: The driver of the reader's lanes.
    ///   - item: The asset and how it is opened.
    ///   - process: Makes the output of what is decoded.
    ///   - output: The queue that the reader fills.
    package init(
        _ settings: TrackReaderSettings,
        driver: any Driver,
        item: MediaItem,
        process: any TrackProcess<Element>,
        output: ReaderOutput<Element>
    ) {
        self.settings = settings
        self.driver = driver
        self.process = process
        self.output = output
        var item = item
        item.video = settings.mediaType == .video ? settings.track : .none
        item.audio = settings.mediaType == .audio ? settings.track : .none
        item.decoding.decodesFirstFrameAlone = false
        // Nothing is decoded twice, so nothing is kept.
        item.frameCache = FrameCache(byteLimit: 0)
        self.item = item
        epoch = settings.firstEpoch
        // Nothing that is read has a deadline. On lanes for decoding or output it would count as urgent work, for which
        // images and samples wait.
        lane = driver.makeLane(.blockingIO, label: "reader")
        loadingLane = driver.makeLane(item.loadingRole, label: "reader")
        decodingLane = driver.makeLane(.blockingIO, label: "reader")
        demuxer = item.makeDemuxer(
            DemuxerOptions(
                startTime: settings.start,
                usesBlockingReads: driver.stopsTimeDuringReads,
                chooseVariant: { [item] in item.variant(of: $0) }
            )
        )
    }

    /// Begins to open the asset. Any thread, once.
    package func start() {
        output.onCapacity.set { [wake] in wake() }
        lane.enqueue { [self] in open() }
    }

    /// Ends reading: a call that waits for bytes returns, and the decoder and the demuxer are released on their lanes.
    /// Any thread.
    package func close() {
        demuxer.cancel()
        lane.enqueue { [self] in release() }
    }

    private func open() {
        guard !isClosed else { return }
        let runner = StageRunner(self, on: lane, stepsPerTurn: 4)
        self.runner = runner
        wake.set { [weak runner] in runner?.wake() }
        let opener = ItemOpener(
            id: ItemID(0),
            item: item,
            demuxer: demuxer,
            start: epoch.start,
            isRealTime: false,
            demand: DeinterlacingDemand(),
            loading: loadingLane,
            decoding: decodingLane,
            ahead: DecodeAhead(driver: driver, label: "reader.ahead"),
            reportFault: { [newestFault] error in newestFault.withLock { $0 = error } },
            report: { [weak self] in self?.received($0) }
        )
        let call = ResumableCall(of: demuxer, on: loadingLane) { [weak self] in
            guard case .ready(let result) = opener.open() else { return .pending }
            self?.receive(result)
            return .ready(())
        }
        opening = call
        call.begin()
    }

    /// Handles a report of a stage, on its lane.
    private func received(_ report: StageReport) {
        switch report {
        case .startedLate(let epoch): lateEpoch.withLock { $0 = epoch }
        case .fault(let error): newestFault.withLock { $0 = error }
        case .waiting, .idle, .preview: return
        case .delivered, .changed: break
        }
        wake()
    }

    /// Handles the result of opening, on the loading lane.
    private func receive(_ result: Result<ItemPipeline, MediaError>) {
        lane.enqueue { [self] in opened(result) }
    }

    private func opened(_ result: Result<ItemPipeline, MediaError>) {
        opening = nil
        switch result {
        case .failure(let error): finish(error)
        case .success(let pipeline):
            self.pipeline = pipeline
            guard !isClosed else { return release() }
            begin(pipeline)
        }
    }

    private func begin(_ pipeline: ItemPipeline) {
        let track = settings.mediaType == .video ? pipeline.video : pipeline.audio
        guard let track, pipeline.trackIDs.contains(track.track.id) else {
            let name = settings.mediaType.rawValue
            return finish(MediaError(.noPlayableTracks, "no playable \(name) track"))
        }
        let duration = pipeline.description.duration
        if let start = settings.start, !pipeline.durationIsUncertain, start >= duration, start > .zero {
            return finish(nil)
        }
        self.track = track
        pipeline.setEndTime(settings.end)
        requestKeyFrames()
        pipeline.wake()
        wake()
    }

    private func requestKeyFrames() {
        guard settings.readsOnlyKeyFrames, let track else { return }
        let request = SkipRequest(
            epoch: epoch.start.epoch,
            skipping: .allButKeyFrames,
            position: ItemTime(nanoseconds: .min)
        )
        track.stage.skipRequest.withLock { $0 = request }
    }

    package func step() -> StepResult {
        guard !isClosed, let track else { return .finished }
        guard output.hasCapacity else { return .needsSpace }
        do throws(MediaError) {
            if let element = try process.next() {
                hasOutput = true
                output.append(element, byteCount: process.byteCount(of: element))
                return .progressed
            }
            if process.isFinished { return end(nil) }
            if let ending { return end(error(atEnd: ending)) }
            let next = track.advance()
            // The report precedes the frame that it concerns, and there may be none.
            if searchesEarlier() { return .progressed }
            guard var element = next else { return .needsInput }
            if case .endOfPass(let pass, let end, let error) = element {
                ending = Ending(error: error)
                if error == nil { element = .endOfPass(pass, end: lastFrameEnd(afterData: end), nil) }
            }
            if isRequested(element) { try process.receive(element) }
            return .progressed
        } catch {
            return end(error)
        }
    }

    /// Returns the time until which the last frame is due: the end of the asset, if that is known and follows the end
    /// of the track.
    private func lastFrameEnd(afterData end: Int64?) -> Int64? {
        guard let end, let pipeline, !pipeline.durationIsUncertain,
            let duration = pipeline.description.duration.nanoseconds
        else { return end }
        return max(end, duration)
    }

    /// Begins again from an earlier position, if the container's index has led past the start.
    private func searchesEarlier() -> Bool {
        guard let pipeline, lateEpoch.withLock({ $0 }) == epoch.start.epoch else { return false }
        guard let earlier = epoch.earlier(in: epoch.start.epoch.next) else {
            pipeline.acceptLateStart()
            return false
        }
        epoch = earlier
        pipeline.begin(earlier.start)
        requestKeyFrames()
        return true
    }

    /// Whether an element belongs to the selection. The first key frame may precede the start.
    private func isRequested(_ element: FrameElement) -> Bool {
        guard settings.readsOnlyKeyFrames, case .video(let frame) = element else { return true }
        return frame.isKeyFrame && settings.start.map { frame.presentationTime >= $0 } ?? true
    }

    /// Returns the error with which the output ends, or nil. Data without a frame is an error, as in playing. A range
    /// may contain no frame, and there is no key frame if an edit list begins after the only one.
    private func error(atEnd ending: Ending) -> MediaError? {
        let isWhole = settings.start == nil && settings.end == nil && !settings.readsOnlyKeyFrames
        let fault = newestFault.withLock { $0 }
        guard ending.error == nil, !hasOutput, isWhole || fault != nil else { return ending.error }
        return ItemPipeline.missingFramesError(fault)
    }

    private func end(_ error: MediaError?) -> StepResult {
        finish(error)
        return .finished
    }

    private func finish(_ error: MediaError?) {
        output.finish(error)
        release()
    }

    private func release() {
        isClosed = true
        demuxer.cancel()
        opening?.stop()
        opening = nil
        runner?.stop()
        runner = nil
        wake.clear()
        output.onCapacity.clear()
        track = nil
        pipeline?.cancel()
        pipeline?.releaseOnItsLane()
        pipeline = nil
    }
}
